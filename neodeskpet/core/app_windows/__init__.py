"""Windows of apps that the model operates: their data, their text for the model, and
their calls.
"""
