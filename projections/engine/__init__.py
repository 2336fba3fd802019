"""Keeping read models up to date: fold, storage, runner, rebuild."""
