import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..', '..')

/** By what has to be set before a start needs it. */
const notForEverybody = {
  nodemailer: 'SMTP_URL',
  'prom-client': 'METRICS',
  '@simplewebauthn/server': 'a passkey that is used',
}

test('A default start loads no library that only some installations need', () => {
  for (const first of ['src/cli/run-command.ts', 'src/hosts/bank/instance.ts']) {
    const loaded = loadedFrom(first)
    assert.ok(loaded.has('pg'), `${first} was not followed.`)
    for (const [library, setting] of Object.entries(notForEverybody))
      assert.equal(loaded.get(library), undefined, `${first}: ${library} is needed with ${setting} only.`)
  }
})

/** Every file and package that is imported before anything runs, with one that imports it. */
function loadedFrom(first: string): ReadonlyMap<string, string> {
  const loaded = new Map([[first, '']])
  for (const file of loaded.keys()) {
    if (!file.endsWith('.ts')) continue
    for (const [, name = ''] of readFileSync(join(root, file), 'utf8').matchAll(importedWhenLoaded)) {
      const other = name.startsWith('.') ? normalize(join(dirname(file), name)) : name
      if (!loaded.has(other)) loaded.set(other, file)
    }
  }
  return loaded
}

/** Types alone are erased, and `import(…)` is for later. */
const importedWhenLoaded = /^(?:import|export)\s+(?!type\b)(?:[^'()]*?\sfrom\s+)?'([^']+)'/gm
