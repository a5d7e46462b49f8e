import fc from 'fast-check'

/**
 * Returns the parameters of a property, which is tried `runs` times, however long that takes. FUZZ_SECONDS
 * limits the time instead: the `properties` of a file divide it equally, and print their numbers of cases.
 * FUZZ_SEED sets the seed. A failure prints the seed and the path for repeating it.
 */
export function fuzzed({ runs, properties = 1 }: Fuzzing) {
  const seed = Number(process.env.FUZZ_SEED ?? 20_260_101)
  const seconds = Number(process.env.FUZZ_SECONDS ?? 0)
  if (seconds === 0) return { seed, numRuns: runs }
  return {
    seed,
    numRuns: Number.MAX_SAFE_INTEGER,
    interruptAfterTimeLimit: (seconds * 1000) / properties,
    markInterruptAsFailure: false,
    reporter: printCases,
  }
}

/** A reporter replaces fast-check's own, so it also has to throw on failure. */
function printCases<Values>(details: fc.RunDetails<Values>): void {
  process.stdout.write(`${details.numRuns} cases, ${details.numSkips} skipped, seed ${details.seed}\n`)
  if (details.failed) throw new Error(fc.defaultReportMessage(details))
}

interface Fuzzing {
  readonly runs: number
  readonly properties?: number
}

/** Returns the bytes with a few of them changed, left out, added or repeated. */
export const damaged = (bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc.tuple(bytes, fc.array(damage, { minLength: 1, maxLength: 3 })).map(([original, damages]) =>
    damages.reduce((bytes, { place, change, byte, length }) => {
      const at = Math.floor(place * (bytes.length + 1))
      return Buffer.concat([bytes.subarray(0, at), ...change(bytes.subarray(at), byte, length)])
    }, original),
  )

type Change = (rest: Uint8Array, byte: number, length: number) => readonly Uint8Array[]

const changes: readonly Change[] = [
  (rest, byte) => [Buffer.of(byte), rest.subarray(1)],
  (rest, byte) => [Buffer.of(byte), rest],
  (rest, _byte, length) => [rest.subarray(length)],
  (rest, _byte, length) => [rest.subarray(0, length), rest],
  () => [],
]

const damage = fc.record({
  place: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  change: fc.constantFrom(...changes),
  byte: fc.nat(255),
  length: fc.integer({ min: 1, max: 20 }),
})

/**
 * Any character except half of a surrogate pair, for `fc.string`. The built-in unit `binary` of fast-check
 * first creates a table of all characters, which takes a second.
 */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))
