"""The arms: shoulder, elbow and hand bend one drawing, so nothing can come apart."""

import numpy as np

from companion.curves import mirror, spline, tube
from companion.figure import Figure
from companion.ink import pen, strokes, vertical, volume
from companion.palette import CREAM, CREAM_LIGHT, INK, TEAL, TEAL_DEEP, TEAL_LIGHT
from companion.raster import Box
from companion.space import CX
from companion.spine import Bend, Spine

_SHOULDER = (CX + 112, 1075.0)
_LINE = np.array([_SHOULDER, (CX + 156, 1195.0), (CX + 194, 1320.0)])


def add_arms(figure: Figure) -> None:
    """Add both arms under ``WarpTorso``."""
    for letter, side, name, chinese in (("R", -1, "Right arm", "右臂"), ("L", 1, "Left arm", "左臂")):
        arm = figure.part(f"PartArm{letter}A", name, chinese)
        line = _LINE if side > 0 else mirror(_LINE, CX)
        spine = Spine(line)
        shoulder = (float(line[0][0]), float(line[0][1]))
        raised = f"ParamArm{letter}A"
        arm.rotation(
            f"RotArm{letter}", "WarpTorso", shoulder, {raised: (-40.0, 0.0, 150.0)},
            lambda v, raised=raised, side=side: -side * v[raised],
        )
        full = tube(np.array(spine._joints), lambda t: 84 + 22 * t * t if t < 0.9 else (102 * max(0.0, 1 - ((t - 0.9) / 0.1) ** 2 * 0.35)))
        p = figure.paint(f"Arm{letter}", Box.around(full, margin=70))
        start, end = line[0], line[-1]
        mask = p.stroke_mask(np.array(spine._joints), lambda t: 84 + 20 * t * t)
        p.fill(mask, vertical(1040, 1400, (0.0, CREAM_LIGHT), (1.0, CREAM)))
        volume(p, mask, reach=22)
        glove = spline("60,1270! 110,1250 130,1272 155,1240 178,1266 206,1236 270,1250! 320,1480! 40,1480!", closed=True) + np.array([CX, 0])
        glove = glove if side > 0 else mirror(glove, CX)
        p.fill(p.mask(glove), vertical(1250, 1370, (0.0, TEAL_LIGHT), (0.5, TEAL), (1.0, TEAL_DEEP)), clip=mask)
        outer = p.stroke_mask(np.array(spine._joints), lambda t: 84 + 20 * t * t + 9)
        inner = p.stroke_mask(np.array(spine._joints), lambda t: 84 + 20 * t * t - 9)
        from PIL import ImageChops
        rim = ImageChops.multiply(outer, ImageChops.invert(inner))
        # Open at the shoulder, where the arm grows out of the body.
        open_top = p.blur(p.mask(np.array([(0, 1092), (1400, 1092), (1400, 1600), (0, 1600)], dtype=float)), 8)
        p.fill(rim, INK, clip=open_top)
        keys = {f"ParamArm{letter}B": (-30.0, 0.0, 45.0, 90.0, 130.0), f"ParamHand{letter}": (-40.0, 0.0, 40.0)}
        arm.mesh(
            f"Arm{letter}", f"RotArm{letter}", 380, cell=34, keys=keys,
            move=lambda rest, v, spine=spine, letter=letter, side=side: spine.pose(
                rest,
                [
                    Bend(-side * -v[f"ParamArm{letter}B"], 0.28, 0.62),
                    Bend(-side * -v[f"ParamHand{letter}"], 0.66, 0.9),
                ],
            ),
        )
