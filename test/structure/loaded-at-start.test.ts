import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..', '..')

/** By what has to be set before a start needs it. */
const loadedOnDemand = {
  nodemailer: 'SMTP_URL',
  'prom-client': 'METRICS or OTEL_EXPORTER_OTLP_ENDPOINT',
  '@simplewebauthn/server': 'a passkey that is used',
  '@grpc/reflection': 'a call of reflection or health',
  'grpc-health-check': 'a call of reflection or health',
  '@bufbuild/protobuf': 'a call of reflection or health',
  'node:http': 'types only: src/http/node-http.ts has the rest, without `fetch`',
}

test('A default start loads no library that only some installations need', () => {
  for (const [first, library] of programs) {
    const loaded = loadedFrom(first)
    assert.ok(loaded.has(library), `${first} was not followed.`)
    for (const [library, setting] of Object.entries(loadedOnDemand))
      assert.equal(loaded.get(library), undefined, `${first} loads ${library}, which is for ${setting}.`)
  }
})

/** What runs in one process of its own, with what it surely loads. */
const programs = [
  ['src/cli/start.ts', '@grpc/grpc-js'],
  ['src/hosts/bank/instance.ts', 'pg'],
] as const

/** Every file and package that is imported before anything runs, with one that imports it. */
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

/** Hosts, and what they share, are loaded one after the other. */
const importedByStart = /\bimport\('(\.[^']+)'\)/g

/** Types alone are erased, and `import(…)` is for later. */
const importedWhenLoaded = /^(?:import|export)\s+(?!type\b)(?:[^'()]*?\sfrom\s+)?'([^']+)'/gm
