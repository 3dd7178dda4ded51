"""What users keep for themselves: drafts, snippets, views and alert words."""
