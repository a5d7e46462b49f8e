import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { identityDocument } from '../src/hosts/identity/openapi.ts'
import { aboutExtensions, extensionRoutes } from '../src/hosts/rest/extensions/routes.ts'
import { openApiOf } from '../src/hosts/rest/openapi.ts'
import { aboutContract, contractRoutes } from '../src/hosts/rest/routes.ts'
import { apiTypesOf } from './api-types.ts'

/** Writes the snapshots that the served documents must equal. Run it after a wanted change, and read the difference. */
const folder = join(import.meta.dirname, '..', 'docs', 'contract')

// The document says what the routes are; it never calls one.
const nowhere = undefined as never
const tracker = { database: nowhere, passwords: nowhere }

const documents = {
  'rest.v1.json': openApiOf(contractRoutes(tracker, nowhere), aboutContract),
  'extensions.v1.json': openApiOf(extensionRoutes(tracker, nowhere), aboutExtensions),
  'identity.v1.json': identityDocument(),
}

for (const [name, document] of Object.entries(documents)) {
  await writeFile(join(folder, name), `${JSON.stringify(document, null, 2)}\n`)
}

/** The web client's view of the same, from the files alone, as any client would make it. */
const document = JSON.parse(await readFile(join(folder, 'rest.v1.json'), 'utf8'))
await writeFile(join(folder, '..', '..', 'web', 'src', 'api', 'types.ts'), apiTypesOf(document))
