"""Privacy relative to what is already public: Pufferfish and DPZ."""
