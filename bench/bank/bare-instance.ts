import { once } from 'node:events'
import { createServer } from 'node:http'

// This server does the least that a node:http server can do: it reads the body and responds at once.
const port = Number(process.argv[2])
const server = createServer((request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200, ['Content-Length', String(answer.length)]).end(answer)
  })
})
const answer = '{"id":1,"limite":0,"saldo":0}'

await once(server.listen({ host: '127.0.0.1', port, reusePort: true }), 'listening')
process.once('disconnect', () => process.exit())
process.send?.('listening')
