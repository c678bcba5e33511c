"""What exercises and explorers share: one front end in two homes, notebook and page."""
