// The observable core.
