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

/** The output of each program, if they run in this order on a new database with the demo workspace. */
const expectedOutputs: readonly RegExp[] = [
  /^Mars landing is one of 1\.\n$/,
  /^Second moon landing!!\n400 \{ name: \[ 'Name is required\.' \] \}\n[\d.]+\ncreate (true|false) true\n1\n$/,
  /^Space agency\n$/,
  /^([\d.]+ h: .+ \(.+\)\n)+(.+: [\d.]+ h\n)+$/,
  /^412\n200 200\n$/,
  /^create Event horizon\nupdate Event horizon, renamed\n$/,
  /^create Event cloud true\n1\n$/,
  /^true false\n$/,
]

const guide = readFileSync(join(root, 'docs', 'guide.md'), 'utf8')
/** The programs of the guide in other languages, with the commands that run them and their output. */
const otherLanguages = [
  {
    language: 'sh',
    file: 'guide.sh',
    command: ['sh', '-eu', 'guide.sh'],
    isInstalled: () => succeeds('curl', '--version') && succeeds('openssl', 'version'),
    prints:
      /"login":"demo@example\.com".*\{"success":true,"organization":\{.*"name":"Lunar agency".*\}\}Organization is no longer as If-Match says\. Read it again\.\n\[ 200, 200, 200 \]\nOne small stepsmall\[ 'Moon landing', 'Mars landing' \]\n\s*2\nName is required\.\n$/s,
  },
  {
    language: 'python',
    file: 'guide.py',
    command: ['python3', 'guide.py'],
    isInstalled: () => succeeds('python3', '--version'),
    prints: /^true\n200\n412\n\[200, 200\]\n400 \['name', 'organizationId'\]\n$/,
  },
  {
    language: 'csharp',
    file: 'guide.cs',
    command: ['dotnet', 'run', 'guide.cs'],
    isInstalled: () => /^1\d\./.test(spawnSync('dotnet', ['--version']).stdout?.toString() ?? ''),
    prints: /^true\n200\n412\n200\n200\n$/,
  },
]

/** The five lines of README.md: two that prepare the start, the start, and two that send requests. */
const [preparation = '', requests = ''] =
  /```\n(SECRET=.*?)npm start &\n(.*?)```/s.exec(pages[0]?.text ?? '')?.slice(1) ?? []

/** Returns the settings that the first two lines set. */
const settingsOfTwoUsers = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    spawnSync('sh', ['-c', `${preparation}\nenv`])
      .stdout.toString()
      .split('\n')
      .filter((line) => line.startsWith('Identity__ServiceClients__'))
      .map((line) => line.split('=') as [string, string]),
  )

const succeeds = (program: string, argument: string): boolean => spawnSync(program, [argument]).status === 0

describe('The examples of the documentation', () => {
  let directory: string
  let start: ReturnType<typeof spawnStart>
  let environment: Readonly<Record<string, string>>
  let ports: readonly number[]

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'tracker-examples-'))
    ports = await Promise.all(Array.from({ length: 4 }, freePort))
    const [identityPort = 0, restPort = 0, commandPort = 0, diagnosticsPort = 0] = ports
    const issuer = `http://127.0.0.1:${identityPort}`
    const secret = randomUUID()
    environment = {
      DATA_DIR: join(directory, 'data'),
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
      ...settingsOfTwoUsers(),
    }
    start = spawnStart(environment, ['identity', 'rest', 'commands'])
    for (const port of [identityPort, restPort, diagnosticsPort]) await untilReady(port, start.exited)
  })
  after(async () => {
    start.process.kill('SIGTERM')
    await start.exited
    rmSync(directory, { recursive: true, force: true })
  })

  const programs = pages.flatMap(({ name, text }) =>
    [...text.matchAll(/```ts\n(.*?)```/gs)].map(([, program = '']) => ({ name, program })),
  )
  test('in TypeScript have an expected output each', () => {
    assert.equal(programs.length, expectedOutputs.length)
  })

  for (const [index, { name, program }] of programs.entries())
    test(`in TypeScript run unchanged: ${name}, program ${index + 1}`, async () => {
      const file = join(directory, `program-${index}.ts`)
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
      assert.match(stdout, expectedOutputs[index] ?? /^$/)
    })

  for (const { language, file, command, isInstalled, prints } of otherLanguages)
    test(`of the guide in ${language} run unchanged`, {
      skip: !isInstalled() && `${command[0]} is not installed`,
    }, async () => {
      const blocks = [...guide.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))]
      assert.ok(blocks.length > 0)
      writeFileSync(join(directory, file), blocks.map(([, block = '']) => block).join('\n'))
      const [program = '', ...programArguments] = command
      const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
      const { stdout } = await run(program, programArguments, {
        cwd: directory,
        env: { ...process.env, ...environment, PATH },
        timeout: 120_000,
      })
      assert.match(stdout, prints)
    })

  const commands = ['README.md', 'docs/reading.md'].flatMap((page) =>
    commandsIn(pages.find(({ name }) => name === page)?.text ?? ''),
  )
  const hasCurl = spawnSync('curl', ['--version']).status === 0
  test('with curl in README.md and docs/reading.md run unchanged', {
    skip: !hasCurl && 'curl is not installed',
  }, async () => {
    const [login = '', first = '', ...furtherCommands] = commands
    const token = (await sh(`${login}; echo "$TOKEN"`)).stdout.trim()
    const projects = JSON.parse(await outputOf(first, token)).result.data
    assert.ok(furtherCommands.length >= 8)
    for (const command of furtherCommands) {
      const complete = command.replace('"…"', `"${projects[0].organizationId}"`)
      assert.match(await outputOf(complete, token), /^(\{"|id,|id: 1\nevent: listing\n)/, command)
    }
  })

  test('with two ordinary users run unchanged, in five lines', {
    skip: !hasCurl && 'curl is not installed',
  }, async () => {
    const { stdout } = await sh(`SECRET=$Identity__ServiceClients__mara__Secret\n${requests}`)
    const pages = stdout.replace('}{', '}\n{').split('\n')
    const names = pages.map((page) => JSON.parse(page).result.data.map(({ name }: { name: string }) => name))
    assert.deepEqual(
      names.map((projectNames) => projectNames.sort()),
      [['Website relaunch'], ['Patient portal', 'Website relaunch']],
    )
    assert.equal(`${preparation}npm start &\n${requests}`.trimEnd().split('\n').length, 5)
  })

  /** Runs a command in the temporary directory, with the ports of this start. */
  const sh = (command: string, TOKEN = '') => {
    const [identityPort, restPort] = ports
    const adapted = command.replaceAll(':5200', `:${identityPort}`).replaceAll(':5100', `:${restPort}`)
    const PATH = `${dirname(process.execPath)}:${process.env.PATH}`
    return run('sh', ['-c', adapted], {
      cwd: directory,
      env: { ...process.env, ...environment, TOKEN, PATH },
    })
  }

  /** Returns what a command prints or writes into a file; for a stream, its beginning. */
  async function outputOf(command: string, token: string): Promise<string> {
    if (command.includes('event-stream')) return firstOutput(sh(`exec ${command} -sS`, token))
    const { stdout } = await sh(command.replace(/^curl/, 'curl -sS --fail-with-body --max-time 20'), token)
    const [, file] = / -o (\S+)/.exec(command) ?? []
    return file === undefined ? stdout : readFileSync(join(directory, file), 'utf8')
  }
})

/** Returns the output up to the first listing, and ends the command. */
async function firstOutput(running: ReturnType<typeof run>): Promise<string> {
  running.catch(() => undefined)
  let output = ''
  for await (const piece of running.child.stdout ?? []) {
    output += piece
    if (output.includes('event: listing\n')) break
  }
  running.child.kill()
  return output
}

/** Returns the curl commands of a page, with their continuation lines and without trailing comments. */
function commandsIn(page: string): string[] {
  const commands: string[] = []
  let unfinished = ''
  for (const line of page.split('\n')) {
    if (unfinished === '' && !/^(TOKEN=\$\()?curl /.test(line)) continue
    unfinished += `${line}\n`
    const isOpen = line.endsWith('\\') || unfinished.split("'").length % 2 === 0
    if (isOpen) continue
    commands.push(unfinished.trimEnd().replace(/\s+# .*$/, ''))
    unfinished = ''
  }
  return commands
}

/** The first start creates a database cluster, which takes long on a busy machine. */
const startSecondsMax = 60

async function untilReady(port: number, exited: Promise<unknown>): Promise<void> {
  let isDone = false
  void exited.then(() => {
    isDone = true
  })
  const endsAt = performance.now() + startSecondsMax * 1000
  while ((await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status !== 200) {
    assert.ok(!isDone && performance.now() < endsAt, 'The hosts have not started.')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
