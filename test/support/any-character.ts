import fc from 'fast-check'

/**
 * Any character but half a pair, for `fc.string`. fast-check has a unit of its own for this, which first makes a table of all
 * characters: a second of processor time, and memory that every later garbage collection has to go through.
 */
export const anyCharacter = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code))
