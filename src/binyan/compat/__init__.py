"""Our models behind other tools' interfaces, for programs that were written for those."""
