"""Understanding what people say, for everybody who listens."""
