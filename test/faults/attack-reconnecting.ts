import { connect, type Socket } from 'node:net'
import { attacks } from './attacked-hosts.ts'

/**
 * Attacks without a token, and keeps reconnecting: `node attack-reconnecting.ts target kind [connections at
 * once]`. It runs in a separate process, so that its work is not attributed to the host.
 */
const [target = '', kind = '', atOnce = '1'] = process.argv.slice(2)
const [host, port] = target.split(':')
const attack = attacks[kind]
if (!attack) throw new Error(`There is no attack ${kind}.`)
const { first, piece, pieces = 0, everyMilliseconds } = attack

const counts = { connections: 0, cut: 0, open: 0, megabytes: 0 }
let bytes = 0

function open(): void {
  counts.connections += 1
  counts.open += 1
  const socket = connect({ port: Number(port), host, noDelay: true })
  socket.on('error', () => {
    counts.cut += 1
  })
  socket.once('close', () => {
    counts.open -= 1
    setImmediate(open)
  })
  socket.once('connect', () => {
    write(socket, first, () => sendPiece(socket, 0))
  })
  socket.resume()
}

function write(socket: Socket, piece: Buffer, done: () => void): void {
  bytes += piece.length
  socket.write(piece, done)
}

function sendPiece(socket: Socket, index: number): void {
  if (socket.destroyed) return
  if (piece === undefined || index === pieces) return void socket.destroy()
  write(socket, piece(index), () => {
    const next = () => sendPiece(socket, index + 1)
    if (everyMilliseconds === undefined) setImmediate(next)
    else setTimeout(next, everyMilliseconds)
  })
}

for (let opened = 0; opened < Number(atOnce); opened += 1) open()
process.stdout.on('error', () => process.exit())
setInterval(() => {
  counts.megabytes = Math.round(bytes / 1024 ** 2)
  process.stdout.write(`${JSON.stringify(counts)}\n`)
}, 100)
