import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { freePort, spawnStart } from '../support/child-host.ts'

const root = join(import.meta.dirname, '..', '..')
const run = promisify(execFile)
const pages = [
  'README.md',
  'clients/typescript/README.md',
  'docs/reading.md',
  'docs/guide.md',
  'docs/events.md',
].map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }))

/** What each program prints on a first start, after those before it; the demo workspace has what is not said here. */
const printed: readonly RegExp[] = [
  /^Mars landing is one of 1\.\n$/,
  /^Second moon landing!!\n400 \{ name: \[ 'Name is required\.' \] \}\n[\d.]+\ncreate (true|false) true\n1\n$/,
  /^Space agency\n$/,
  /^([\d.]+ h: .+ \(.+\)\n)+(.+: [\d.]+ h\n)+$/,
  /^412\n200 200\n$/,
  /^create Event horizon\nupdate Event horizon, renamed\n$/,
  /^create Event cloud true\n1\n$/,
  /^true false\n$/,
]

/** What the programs of the guide print that are in other languages, and what runs them. */
const guide = readFileSync(join(root, 'docs', 'guide.md'), 'utf8')
const others = [
  {
    language: 'sh',
    file: 'guide.sh',
    words: ['sh', '-eu', 'guide.sh'],
    isThere: () => answers('curl', '--version') && answers('openssl', 'version'),
    prints:
      /"login":"demo@example\.com".*\{"success":true,"organization":\{.*"name":"Lunar agency".*\}\}Organization is no longer as If-Match says\. Read it again\.\n\[ 200, 200, 200 \]\nOne small stepsmall\[ 'Moon landing', 'Mars landing' \]\n\s*2\nName is required\.\n$/s,
  },
  {
    language: 'python',
    file: 'guide.py',
    words: ['python3', 'guide.py'],
    isThere: () => answers('python3', '--version'),
    prints: /^true\n200\n412\n\[200, 200\]\n400 \['name', 'organizationId'\]\n$/,
  },
  {
    language: 'csharp',
    file: 'guide.cs',
    words: ['dotnet', 'run', 'guide.cs'],
    isThere: () => /^1\d\./.test(spawnSync('dotnet', ['--version']).stdout?.toString() ?? ''),
    prints: /^true\n200\n412\n200\n200\n$/,
  },
]

/** The five lines of README.md: two that prepare, the start, and two that ask. */
const [prepared = '', asked = ''] =
  /```\n(SECRET=.*?)npm start &\n(.*?)```/s.exec(pages[0]?.text ?? '')?.slice(1) ?? []

/** The settings that the first of them make. */
const twoUsers = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    spawnSync('sh', ['-c', `${prepared}\nenv`])
      .stdout.toString()
      .split('\n')
      .filter((line) => line.startsWith('Identity__ServiceClients__'))
      .map((line) => line.split('=') as [string, string]),
  )

const answers = (program: string, word: string): boolean => spawnSync(program, [word]).status === 0

describe('The examples of the pages', () => {
  let folder: string
  let start: ReturnType<typeof spawnStart>
  let environment: Readonly<Record<string, string>>
  let ports: readonly number[]

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tracker-examples-'))
    ports = await Promise.all(Array.from({ length: 4 }, freePort))
    const [identityPort = 0, restPort = 0, commandPort = 0, diagnosticsPort = 0] = ports
    const issuer = `http://127.0.0.1:${identityPort}`
    const secret = randomUUID()
    environment = {
      DATA_DIR: join(folder, 'data'),
      SVC_DEMO_DATA: 'true',
      IDENTITY_PORT: String(identityPort),
      REST_PORT: String(restPort),
      COMMAND_PORT: String(commandPort),
      COMMAND_DIAGNOSTICS_PORT: String(diagnosticsPort),
      Jwt__Issuer: issuer,
      Identity__ServiceClients__robot__Login: 'demo@example.com',
      Identity__ServiceClients__robot__Secret: secret,
      ISSUER: issuer,
      SECRET: secret,
      REST: `http://127.0.0.1:${restPort}`,
      COMMANDS: `127.0.0.1:${commandPort}`,
      ...twoUsers(),
    }
    start = spawnStart(environment, ['identity', 'rest', 'commands'])
    for (const port of [identityPort, restPort, diagnosticsPort]) await untilReady(port, start.exited)
  })
  after(async () => {
    start.process.kill('SIGTERM')
    await start.exited
    rmSync(folder, { recursive: true, force: true })
  })

  const programs = pages.flatMap(({ name, text }) =>
    [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, program = '']) => ({ name, program })),
  )
  test('in TypeScript are as many as this test knows', () => {
    assert.equal(programs.length, printed.length)
  })

  for (const [index, { name, program }] of programs.entries())
    test(`in TypeScript run as they are printed: ${name}, program ${index + 1}`, async () => {
      const file = join(folder, `program-${index}.ts`)
      const source = join(root, 'clients', 'typescript', 'src')
      writeFileSync(
        file,
        program
          .replaceAll("'./clients/typescript/src/", `'${source}/`)
          .replaceAll("'tracker-client/commands'", `'${source}/commands.ts'`)
          .replaceAll("'tracker-client'", `'${source}/tracker.ts'`),
      )
      const { stdout, stderr } = await run(process.execPath, [file], {
        env: { ...process.env, ...environment },
        timeout: 60_000,
      })
      assert.equal(stderr, '')
      assert.match(stdout, printed[index] ?? /^$/)
    })

  for (const { language, file, words, isThere, prints } of others)
    test(`of the guide in ${language} run as they are printed`, {
      skip: !isThere() && `${words[0]} is not installed`,
    }, async () => {
      const blocks = [...guide.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))]
      assert.ok(blocks.length > 0)
      writeFileSync(join(folder, file), blocks.map(([, block = '']) => block).join('\n'))
      const [program = '', ...rest] = words
      const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
      const { stdout } = await run(program, rest, {
        cwd: folder,
        env: { ...process.env, ...environment, PATH },
        timeout: 120_000,
      })
      assert.match(stdout, prints)
    })

  const commands = ['README.md', 'docs/reading.md'].flatMap((page) =>
    commandsIn(pages.find(({ name }) => name === page)?.text ?? ''),
  )
  const hasCurl = spawnSync('curl', ['--version']).status === 0
  test('with curl run as they are printed in README.md and docs/reading.md', {
    skip: !hasCurl && 'curl is not installed',
  }, async () => {
    const [login = '', first = '', ...others] = commands
    const token = (await sh(`${login}; echo "$TOKEN"`)).stdout.trim()
    const projects = JSON.parse(await shown(first, token)).result.data
    assert.ok(others.length >= 8)
    for (const command of others) {
      const complete = command.replace('"…"', `"${projects[0].organizationId}"`)
      assert.match(await shown(complete, token), /^(\{"|id,|id: 1\nevent: listing\n)/, command)
    }
  })

  test('as two ordinary users are five lines, and each of the two sees their own projects', {
    skip: !hasCurl && 'curl is not installed',
  }, async () => {
    const { stdout } = await sh(`SECRET=$Identity__ServiceClients__mara__Secret\n${asked}`)
    const pages = stdout.replace('}{', '}\n{').split('\n')
    const names = pages.map((page) => JSON.parse(page).result.data.map(({ name }: { name: string }) => name))
    assert.deepEqual(
      names.map((some) => some.sort()),
      [['Website relaunch'], ['Patient portal', 'Website relaunch']],
    )
    assert.equal(`${prepared}npm start &\n${asked}`.trimEnd().split('\n').length, 5)
  })

  /** In a folder of its own, on the ports of this start. */
  const sh = (command: string, TOKEN = '') => {
    const [identityPort, restPort] = ports
    const here = command.replaceAll(':5200', `:${identityPort}`).replaceAll(':5100', `:${restPort}`)
    const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
    return run('sh', ['-c', here], { cwd: folder, env: { ...process.env, ...environment, TOKEN, PATH } })
  }

  /** What it prints, or writes into a file; of what stays open the beginning. */
  async function shown(command: string, token: string): Promise<string> {
    if (command.includes('event-stream')) return firstOf(sh(`exec ${command} -sS`, token))
    const { stdout } = await sh(command.replace(/^curl/, 'curl -sS --fail-with-body --max-time 20'), token)
    const [, file] = / -o (\S+)/.exec(command) ?? []
    return file === undefined ? stdout : readFileSync(join(folder, file), 'utf8')
  }
})

/** What it prints first. */
async function firstOf(running: ReturnType<typeof run>): Promise<string> {
  running.catch(() => undefined)
  let printed = ''
  for await (const piece of running.child.stdout ?? []) {
    printed += piece
    if (printed.includes('event: listing\n')) break
  }
  running.child.kill()
  return printed
}

/** Each with the lines that it goes on over, and without the comment behind it. */
function commandsIn(page: string): string[] {
  const commands: string[] = []
  let begun = ''
  for (const line of page.split('\n')) {
    if (begun === '' && !/^(TOKEN=\$\()?curl /.test(line)) continue
    begun += `${line}\n`
    const isOpen = line.endsWith('\\') || begun.split("'").length % 2 === 0
    if (isOpen) continue
    commands.push(begun.trimEnd().replace(/\s+# .*$/, ''))
    begun = ''
  }
  return commands
}

/** A first start makes a cluster; on a busy machine that takes its time. */
const startSecondsMax = 60

async function untilReady(port: number, exited: Promise<unknown>): Promise<void> {
  let isDone = false
  void exited.then(() => {
    isDone = true
  })
  const endsAt = performance.now() + startSecondsMax * 1000
  while ((await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status !== 200) {
    assert.ok(!isDone && performance.now() < endsAt, 'the hosts start')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
