"""The extra `studio`: the application can be made."""

import importlib

importlib.import_module("diveval.studio.app")
