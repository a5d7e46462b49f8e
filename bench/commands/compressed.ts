/** A body as the .NET clients frame it: from 64 bytes on in one LZ4 block, here of literals only. */
export function compressed(body: Buffer): Buffer {
  if (body.length < compressedFromBytes) return body
  const lengths = Buffer.from([0xcd, body.length >> 8, body.length & 0xff])
  const block = Buffer.concat([literalsHead(body.length), body])
  const head = [0x92, 0xc7, lengths.length, 98, ...lengths, 0xc5, block.length >> 8, block.length & 0xff]
  return Buffer.concat([Buffer.from(head), block])
}

const compressedFromBytes = 64

/** A length of 15 and more goes on in further bytes. */
function literalsHead(length: number): Buffer {
  if (length < 15) return Buffer.from([length << 4])
  const rest = length - 15
  return Buffer.from([0xf0, ...Array(Math.floor(rest / 255)).fill(255), rest % 255])
}
