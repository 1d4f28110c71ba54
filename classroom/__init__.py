"""What a teacher needs beside the lessons: pages to teach from, a report on the class, and a server."""
