"""Decisions when labels cost money: judges compared, estimates from people and models together, plans and gates."""
