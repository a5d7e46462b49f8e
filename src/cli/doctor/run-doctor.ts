import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Environment, readSettings, SettingsError, unknownSettings } from '../../config/settings.ts'
import { readStoreSettings } from '../../config/store-settings.ts'
import { runningStoreUrl } from '../../db/embedded/start-embedded-store.ts'
import { chosenHosts } from '../chosen-hosts.ts'
import { checkFolder, checkPorts, checkProcesses } from './check-host.ts'
import { checkStandbys } from './check-standbys.ts'
import { checkStore } from './check-store.ts'
import { type Finding, fine, look, wrong } from './finding.ts'

/** `npm run doctor`: checks and changes nothing. The exit code is 1 when something is wrong. */
export async function runDoctor(): Promise<void> {
  const findings = await examine(process.env)
  for (const { grade, subject, found, advice } of findings) {
    console.log(`${grade.padEnd(6)}${subject.padEnd(16)}${found}`)
    if (advice !== undefined) console.log(`${' '.repeat(22)}${advice}`)
  }
  const count = findings.filter(({ grade }) => grade === 'wrong').length
  console.log(count === 0 ? '\nNothing is wrong.' : `\nWrong: ${count}.`)
  if (count > 0) process.exitCode = 1
}

export async function examine(environment: Environment): Promise<readonly Finding[]> {
  const configuration = checkConfiguration(environment)
  const node = checkNode(process.versions.node)
  if (configuration.grade === 'wrong') return [configuration, node]
  const settings = readSettings(environment, readStoreSettings)
  const { databaseUrl, dataDirectory } = settings
  const url = databaseUrl ?? runningStoreUrl(dataDirectory)
  const groups = await Promise.all([
    checkFolder(settings),
    url === undefined ? [embeddedAtRest(dataDirectory)] : checkStore(url, environment),
    checkStandbys(settings.readUrls),
    checkPorts(environment),
    checkProcesses(settings),
  ])
  return [configuration, node, ...groups.flat()]
}

function checkConfiguration(environment: Environment): Finding {
  try {
    readSettings(environment, (settings) => {
      readStoreSettings(settings)
      // Parses the settings of every host, and starts none.
      for (const prepare of chosenHosts([])) prepare(settings)
    })
    const unknown = unknownSettings(environment)
    if (unknown.length > 0)
      return look('configuration', unknown.join(' '), 'docs/configuration.md has every variable.')
    return fine('configuration', 'every variable is valid')
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    return wrong(
      'configuration',
      error.problems.join(' '),
      'docs/configuration.md has every variable and its default.',
    )
  }
}

const nodeMajorMin = 24

function checkNode(version: string): Finding {
  if (Number(version.split('.')[0]) >= nodeMajorMin) return fine('node', version)
  return wrong('node', version, `Start with npm, which uses Node ${nodeMajorMin} from the packages.`)
}

const embeddedAtRest = (dataDirectory: string): Finding =>
  existsSync(join(dataDirectory, 'postgres'))
    ? look(
        'store',
        `the embedded one in ${dataDirectory} is not running`,
        'npm start runs it; then ask again.',
      )
    : look('store', `there is none in ${dataDirectory} yet`, 'npm start creates it; or set DATABASE_URL.')
