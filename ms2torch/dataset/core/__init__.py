"""What the data pipeline stands on: settings, random streams, argument checks, errors."""
