"""Tests of accounting at scale."""
