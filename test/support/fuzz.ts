import fc from 'fast-check'

/**
 * How often a property is tried: `runs` times, or without an end in FUZZ_SECONDS, which the properties of a
 * file share. FUZZ_SEED starts elsewhere; a failure names the seed and the path to repeat it with. Within
 * `secondsMax` unless asked for more. A run of FUZZ_SECONDS prints how many cases each property tried.
 */
export function fuzzed({ runs, properties = 1, secondsMax }: Fuzzing) {
  const seconds = process.env.FUZZ_SECONDS ? Number(process.env.FUZZ_SECONDS) : secondsMax
  return {
    seed: Number(process.env.FUZZ_SEED ?? 20_260_101),
    numRuns: process.env.FUZZ_SECONDS ? Number.MAX_SAFE_INTEGER : runs,
    ...(seconds !== undefined && { interruptAfterTimeLimit: (seconds * 1000) / properties }),
    markInterruptAsFailure: false,
    ...(process.env.FUZZ_SECONDS && { reporter: printCases }),
  }
}

/** A reporter replaces fast-check's own, so it also has to throw on failure. */
function printCases<Values>(details: fc.RunDetails<Values>): void {
  process.stdout.write(`${details.numRuns} cases, ${details.numSkips} skipped, seed ${details.seed}\n`)
  if (details.failed) throw new Error(fc.defaultReportMessage(details))
}

interface Fuzzing {
  readonly runs: number
  /** Of the file. */
  readonly properties?: number
  readonly secondsMax?: number
}

/** The same bytes with a few of them changed, left out, added or repeated. */
export const damaged = (bytes: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> =>
  fc.tuple(bytes, fc.array(damage, { minLength: 1, maxLength: 3 })).map(([given, damages]) =>
    damages.reduce((before, { place, change, byte, length }) => {
      const at = Math.floor(place * (before.length + 1))
      return Buffer.concat([before.subarray(0, at), ...change(before.subarray(at), byte, length)])
    }, given),
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
 * Any character but half a pair, for `fc.string`. fast-check has a unit of its own for this, which first
 * makes a table of all characters: a second of processor time, and memory that every later garbage collection
 * has to go through.
 */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))
