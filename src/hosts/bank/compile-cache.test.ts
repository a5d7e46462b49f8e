import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

test('no instance loads the TypeScript compiler after the first start', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'compile-cache-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  assert.equal(loadsCompiler(folder, "(await import('./main.ts')).fillCompileCache()"), true)
  assert.equal(loadsCompiler(folder, "import('./instance.ts')"), false)
})

/** Returns whether a new process loads the TypeScript compiler, Node's `amaro`, when it evaluates the expression. */
function loadsCompiler(folder: string, expression: string): boolean {
  const source = `await ${expression}
    console.log(process.moduleLoadList.some((name) => name.includes('amaro')))`
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', source], {
    cwd: import.meta.dirname,
    env: { ...process.env, NODE_COMPILE_CACHE: folder },
    encoding: 'utf8',
  })
  return text.trim() === 'true'
}
