"""The extra `studio`: the application can be imported."""

import importlib

importlib.import_module("diveval.studio.app")
