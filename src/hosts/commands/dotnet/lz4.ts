import { UnreadableMessage } from '../message.ts'

/** Decodes one raw LZ4 block into exactly `length` bytes, which the caller has checked against its limit. */
export function decodeLz4Block(block: Uint8Array, length: number): Buffer {
  const output = Buffer.allocUnsafe(length)
  let from = 0
  let to = 0
  const byte = (): number => {
    const value = block[from++]
    if (value === undefined) throw new UnreadableMessage()
    return value
  }
  /** Lengths of 15 and more go on in further bytes. */
  const lengthOf = (nibble: number): number => {
    let total = nibble
    for (let more = nibble === 15 ? 255 : 0; more === 255; total += more) more = byte()
    return total
  }
  while (true) {
    const token = byte()
    const literals = lengthOf(token >> 4)
    if (from + literals > block.length || to + literals > length) throw new UnreadableMessage()
    output.set(block.subarray(from, from + literals), to)
    from += literals
    to += literals
    // The last sequence has literals only, so a block that is empty or ends with a match was cut off.
    if (from === block.length) break
    const distance = byte() | (byte() << 8)
    const match = lengthOf(token & 15) + matchLengthMin
    if (distance === 0 || distance > to || to + match > length) throw new UnreadableMessage()
    copyWithin(output, to, distance, match)
    to += match
  }
  if (to !== length) throw new UnreadableMessage()
  return output
}

const matchLengthMin = 4

/** A match may overlap what it writes: then it repeats itself. */
function copyWithin(output: Buffer, to: number, distance: number, length: number): void {
  if (distance >= length) output.copyWithin(to, to - distance, to - distance + length)
  else for (let index = to; index < to + length; index++) output[index] = output[index - distance] as number
}
