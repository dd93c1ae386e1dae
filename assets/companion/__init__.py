"""Generator of "Neo" (尼奥), the bundled Live2D companion: art, rig and motions, all from code."""
