"""Promises relative to what is public: why they hold, which follow, which add up."""
