import { fastify } from 'fastify'

// The floor of any HTTP response: the framework with a route that does nothing. Prints its port.
const app = fastify()
app.get('/empty', async () => ({ success: true }))
console.log(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
