import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..', '..')

/** Each library, with the setting or the event that makes a process load it. */
const loadedOnDemand = {
  nodemailer: 'SMTP_URL',
  'prom-client': 'METRICS or OTEL_EXPORTER_OTLP_ENDPOINT',
  '@simplewebauthn/server': 'a passkey that is used',
  '@grpc/reflection': 'a call of reflection or health',
  'grpc-health-check': 'a call of reflection or health',
  '@bufbuild/protobuf': 'a call of reflection or health',
  'node:http': 'types alone: src/http/node-http.ts exports the values, without loading `fetch`',
}

test('A default start loads no library that only some installations need', () => {
  for (const [first, required] of programs) {
    const loaded = loadedFrom(first)
    assert.ok(loaded.has(required), `The imports of ${first} were not followed.`)
    for (const [library, setting] of Object.entries(loadedOnDemand))
      assert.equal(loaded.get(library), undefined, `${first} loads ${library}, which is for ${setting}.`)
  }
})

/** The first file of each kind of process, with a library that it certainly loads. */
const programs = [
  ['src/cli/start.ts', '@grpc/grpc-js'],
  ['src/hosts/bank/instance.ts', 'pg'],
] as const

/** Returns every file and package that is imported before anything runs, each with a file that imports it. */
function loadedFrom(first: string): ReadonlyMap<string, string> {
  const loaded = new Map([[first, '']])
  for (const file of loaded.keys()) {
    if (!file.endsWith('.ts')) continue
    for (const name of importsOf(file)) {
      const other = name.startsWith('.') ? normalize(join(dirname(file), name)) : name
      if (!loaded.has(other)) loaded.set(other, file)
    }
  }
  return loaded
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8')
  const patterns = [importedWhenLoaded, ...(file.startsWith('src/cli/') ? [importedByStart] : [])]
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name = '']) => name))
}

/** The start itself imports the hosts, and what they share, one after the other. */
const importedByStart = /\bimport\('(\.[^']+)'\)/g

/** Matches neither imports of types, which are erased, nor `import(…)`, which loads a file later. */
const importedWhenLoaded = /^(?:import|export)\s+(?!type\b)(?:[^'()]*?\sfrom\s+)?'([^']+)'/gm
