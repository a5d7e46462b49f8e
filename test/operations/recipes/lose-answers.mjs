// Passes requests on, but loses the first response for each Idempotency-Key, as a broken connection would:
//   node lose-answers.mjs PORT TARGET
import { createServer, request as send } from 'node:http'

const [port, target] = process.argv.slice(2)
const seenKeys = new Set()
createServer((request, response) => {
  const { method, headers, url } = request
  const key = headers['idempotency-key']
  const isLost = key !== undefined && !seenKeys.has(key)
  seenKeys.add(key)
  const passedOn = send(new URL(url, target), { method, headers }, (answer) => {
    if (isLost) {
      process.stdout.write('lost\n')
      return answer.resume().once('end', () => request.socket.destroy())
    }
    response.writeHead(answer.statusCode, answer.headers)
    answer.pipe(response)
  })
  request.pipe(passedOn)
}).listen(Number(port), '127.0.0.1')
