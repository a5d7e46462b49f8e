import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { preferredLanguage } from './language.ts'

const cases: readonly (readonly [header: string | undefined, language: string])[] = [
  [undefined, 'en'],
  ['pt-BR, en;q=0.9', 'pt-BR'],
  ['en;q=0.1, pt;q=0.9', 'pt-BR'],
  // Names of parameters are case-insensitive (RFC 9110, 5.6.6).
  ['en;Q=0.1, pt-BR;q=0.9', 'pt-BR'],
  ['pt;Q=0, fr', 'en'],
]

for (const [header, language] of cases)
  test(`Accept-Language ${header ?? 'without a value'} selects ${language}`, () =>
    equal(preferredLanguage(header), language))
