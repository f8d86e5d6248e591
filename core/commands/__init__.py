"""The commands of ``ragtriage``, by what they are about; each is thin and imports what it needs."""
