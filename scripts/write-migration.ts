// biome-ignore-all lint/suspicious/noConsole: it prints what it has written.
import { readdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { resourceNamed } from '../src/resources/all.ts'
import { isOfAssignment } from '../src/resources/derived.ts'
import { columnMigration, tableMigration } from './migration-text.ts'

// Writes the next migration from a declaration, and prints it to be checked. `npm run migration -- milestone`
// creates a table, `npm run migration -- impediment reference` adds a column.
const directory = join(import.meta.dirname, '..', 'src', 'db', 'migrations')
const [name, field] = process.argv.slice(2)
if (name === undefined) throw new Error('npm run migration -- <resource> [<new field>]')

const resource = resourceNamed(name)
const text = field === undefined ? tableMigration(resource) : columnMigration(resource, field)
const last = readdirSync(directory)
  .filter((file) => file.endsWith('.sql'))
  .toSorted()
  .at(-1)
const number = String(Number(last?.slice(0, 4)) + 1).padStart(4, '0')
const words = [resource.noun, ...(field === undefined ? [] : [field.replace(/[A-Z]/g, ' $&').toLowerCase()])]
const file = join(directory, `${number}-${words.join(' ').replaceAll(' ', '-')}.sql`)
writeFileSync(file, text, { flag: 'wx' })

console.log(`${relative(process.cwd(), file)}:\n\n${text}`)
if (field === undefined && isOfAssignment(resource))
  console.log(`Add '${resource.table}' to assignmentTables in src/db/sharded/places.ts.`)
