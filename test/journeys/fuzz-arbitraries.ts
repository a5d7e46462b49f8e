import fc from 'fast-check'
import { commonFields, entities, requiredOnCreate, resources } from '../contract/resources.ts'
import { anyCharacter } from '../support/any-character.ts'

const wordsOf = (text: string): string[] => text.trim().split(/\s+/)

/** Texts that have broken services before. */
const nasty = [
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udfff',
  '\ufeff',
  '\u202e',
  '😀'.repeat(101),
  'x'.repeat(2001),
  '%',
  '_\\',
  "'; drop table users; --",
  '$1',
  '__proto__',
  'NaN',
  '1e400',
  '-0',
  '0x10',
  '٣',
  '2026-02-30',
  '2026-01-01T24:00:00Z',
  '0000-01-01',
  '9999-12-31T23:59:60.9999999+14:00',
  '294277-01-01',
  '-infinity',
  '4713-01-01 BC',
  'urn:uuid:01890000-0000-7000-8000-000000000000',
  '{01890000-0000-7000-8000-000000000000}',
  '00000000-0000-0000-0000-000000000000',
]

export const anyText = fc.oneof(
  fc.constantFrom(...nasty),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
)

const anyDate = fc
  .tuple(
    fc.integer({ min: 0, max: 10_000 }),
    fc.nat(13),
    fc.nat(32),
    fc.constantFrom('', 'T00:00', 'T23:59:59.123456789Z', 'T12:00:00-24:00'),
  )
  .map(
    ([year, month, day, time]) =>
      `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}${time}`,
  )

const anyNumber = fc.oneof(
  fc.constantFrom(
    '0',
    '-0',
    '-1',
    '1e400',
    '-1e400',
    '1e-400',
    '0.001',
    '2147483648',
    '9223372036854775808',
    '1e21',
    '100000.01',
  ),
  fc.double().map((value) => (Number.isFinite(value) ? String(value) : '1e999')),
)

/** A value as JSON text, so that numbers beyond JavaScript's and unpaired surrogates get through. */
const anyValue = (ids: () => readonly string[]): fc.Arbitrary<string> => {
  const id = fc.nat(7).map((index) => JSON.stringify(ids()[index]))
  const leaf = fc.oneof(
    { weight: 4, arbitrary: id },
    { weight: 3, arbitrary: anyText.map((text) => JSON.stringify(text)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('"\\ud800"', '"\\udc00x"', '"\\u0000"', 'null', 'true', '""', '" "'),
    },
    { weight: 2, arbitrary: anyDate.map((date) => JSON.stringify(date)) },
    { weight: 2, arbitrary: anyNumber },
    { weight: 1, arbitrary: fc.uuid().map((uuid) => JSON.stringify(uuid)) },
  )
  return fc.oneof(
    { weight: 8, arbitrary: leaf },
    { weight: 1, arbitrary: fc.array(leaf, { maxLength: 4 }).map((items) => `[${items.join(',')}]`) },
    { weight: 1, arbitrary: leaf.map((value) => `{"toString":${value},"length":${value},"id":${value}}`) },
  )
}

const fields = [
  ...new Set([
    'id',
    'ids',
    ...entities.flatMap((name) => [...resources[name].own, ...requiredOnCreate(name)]),
  ]),
]

const keys = [
  ...fields,
  ...commonFields.slice(1),
  ...wordsOf('expectedVersion __proto__ constructor hasOwnProperty'),
]

/** An object that looks like a request: most keys known, most of them there, some twice. */
export function anyBody(ids: () => readonly string[]): fc.Arbitrary<string> {
  const value = anyValue(ids)
  const entry = fc.tuple(fc.constantFrom(...keys), value)
  const likely = keys
    .slice(0, fields.length)
    .map((key) => fc.option(value).map((text) => (text === null ? [] : [[key, text]])))
  const object = fc
    .tuple(fc.tuple(...likely), fc.array(entry, { maxLength: 4 }))
    .map(([found, more]) => [...found.flat(), ...more].map(([key, text]) => `${JSON.stringify(key)}:${text}`))
    .map((entries) => `{${entries.join(',')}}`)
  const batch = fc.array(value, { maxLength: 103 }).map((items) => `{"ids":[${items.join(',')}]}`)
  return fc.oneof(
    { weight: 6, arbitrary: object },
    { weight: 2, arbitrary: batch },
    { weight: 1, arbitrary: value },
  )
}

const queryKeys = [
  ...wordsOf('id ids pageNumber pageSize sortColumn sortOrder search'),
  ...new Set(entities.flatMap((name) => resources[name].filters)),
  ...wordsOf('__proto__ constructor toString pagination.pageSize ids[]'),
]

export function anyQuery(ids: () => readonly string[]): fc.Arbitrary<string> {
  const plain = fc.oneof(
    fc.nat(7).map((index) => ids()[index] ?? ''),
    anyText,
    anyDate,
    anyNumber,
    fc.constantFrom(
      'ASC',
      'desc',
      'name',
      'password_hash',
      'passwordHash',
      'createdAt',
      '21474836',
      '100',
      ',',
    ),
  )
  const value = fc.oneof(
    { weight: 6, arbitrary: plain.map((text) => encodeURIComponent(text.toWellFormed())) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%', '%zz', '%00', '%ed%a0%80', '%ff', '+', '%c0%80', '&', '=', '%u0041'),
    },
  )
  return fc
    .array(fc.tuple(fc.constantFrom(...queryKeys), value), { maxLength: 6 })
    .map((entries) => `?${entries.map(([key, text]) => `${key}=${text}`).join('&')}`)
}

const headerNames = wordsOf(`
  authorization accept content-type if-none-match if-modified-since last-event-id x-forwarded-for
  x-request-id origin cookie accept-encoding content-encoding range x-http-method-override
`)

const visible = fc.string({
  unit: fc
    .integer({ min: 0x20, max: 0xff })
    .map((code) => String.fromCharCode(code))
    .filter((text) => text !== '\u007f'),
  maxLength: 200,
})

export const anyHeaders = (token: string) =>
  fc.dictionary(
    fc.constantFrom(...headerNames),
    fc.oneof(
      visible,
      fc.constantFrom(
        `Bearer ${token}`,
        `bearer  ${token}`,
        `Bearer ${token.slice(0, -4)}`,
        'Bearer ..',
        'Bearer e30.e30.e30',
        'text/event-stream',
        'text/event-stream;q=x, */*;q=2',
        'application/json; charset=utf-16',
        'application/json;;;=',
        '*',
        `${'"a", '.repeat(500)}*`,
        'gzip',
        'chunked',
        `${'9'.repeat(400)}`,
      ),
    ),
    { maxKeys: 4 },
  )

/** A path as bytes on the wire: no spaces or line ends, everything else. */
export const anyPath = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '/',
        'api',
        'ext',
        'people',
        'removed',
        '..',
        '%2e%2e',
        '%00',
        '%ff',
        '//',
        'workflow',
        's',
        '?',
        '#',
        '[',
        '%',
        ';',
        ':id',
        '*',
        '\\',
      ),
      visible,
    ),
    { maxLength: 8 },
  )
  .map((parts) => `/${parts.join('').replace(/[\s]/g, '')}`)
