"""Parts of the web servers that the dashboard and the pupils' pages share."""
