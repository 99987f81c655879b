// Sends back what it is sent: every message crosses the border of a process, and is serialized as there.
process.on('message', (message) => process.send(message));
process.on('disconnect', () => process.exit());
