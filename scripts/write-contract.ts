import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openBudgets } from '../src/config/budgets.ts'
import { commandsOfEdition } from '../src/hosts/commands/main.ts'
import { protoFile } from '../src/hosts/commands/protobuf/proto-file.ts'
import { identityDocument, identityExtensionsDocument } from '../src/hosts/identity/openapi.ts'
import { openApiOf } from '../src/hosts/rest/openapi.ts'
import { aboutContract, aboutExtensions, contractRoutes, extensionRoutes } from '../src/hosts/rest/routes.ts'
import { resources } from '../src/resources/all.ts'
import { commandTypesOf } from './command-types.ts'
import { commandsPage } from './commands-page.ts'
import { configurationPage } from './configuration-page.ts'
import { dotnetContracts } from './dotnet-contracts.ts'
import { restTypesOf } from './rest-types.ts'

// Writes the snapshots with which tests compare the served documents. Run it after an intended change, and
// read the difference.
const folder = join(import.meta.dirname, '..', 'docs', 'contract')

// Documents only describe the routes, and never call their handlers.
const nowhere = undefined as never
const tracker = { database: nowhere, passwords: nowhere, administrators: nowhere, budgets: openBudgets() }

const textOf = (document: object): string => `${JSON.stringify(document, null, 2)}\n`

const documents = {
  'rest.v1.json': textOf(openApiOf(contractRoutes(tracker, nowhere), aboutContract())),
  'extensions.v1.json': textOf(
    openApiOf(
      extensionRoutes(tracker, {
        live: nowhere,
        feeds: nowhere,
        receivers: nowhere,
        files: { limits: { fileBytesMax: 0 } } as never,
        signInMethods: nowhere,
        hasMail: nowhere,
        webOrigin: nowhere,
        contract: contractRoutes(tracker, nowhere),
        issuer: nowhere,
      }),
      aboutExtensions,
    ),
  ),
  'identity.v1.json': textOf(identityDocument()),
  'identity-extensions.v1.json': textOf(identityExtensionsDocument()),
  'tracker/commands/v1/commands.proto': protoFile('v1', commandsOfEdition('v1')),
  'tracker/ext/v1/commands.proto': protoFile('ext', commandsOfEdition('ext')),
}

for (const [name, text] of Object.entries(documents)) await writeFile(join(folder, name), text)

const dotnetFile = join(folder, '..', '..', 'clients', 'dotnet', 'Contracts.g.cs')
await mkdir(dirname(dotnetFile), { recursive: true })
await writeFile(dotnetFile, dotnetContracts(commandsOfEdition('v1')))

const commandTypes = join(folder, '..', '..', 'clients', 'typescript', 'src', 'command-types.ts')
await writeFile(commandTypes, commandTypesOf(resources))

// The types of the TypeScript client are generated from the files alone, as other clients are.
const readDocument = async (name: string) => JSON.parse(await readFile(join(folder, name), 'utf8'))
const [rest, extensions] = [await readDocument('rest.v1.json'), await readDocument('extensions.v1.json')]
const restTypes = join(folder, '..', '..', 'clients', 'typescript', 'src', 'rest-types.ts')
await writeFile(restTypes, restTypesOf(rest, extensions))

await writeFile(join(folder, '..', 'configuration.md'), configurationPage())
await writeFile(join(folder, '..', 'commands.md'), commandsPage())

// Tests compare the served documents with the contract of the last release.
if (process.argv.includes('--release')) {
  const released = join(folder, '..', 'contract-released')
  for (const name of Object.keys(documents)) await copyFile(join(folder, name), join(released, name))
  await writeFile(join(released, 'corrections.json'), '[]\n')
}
