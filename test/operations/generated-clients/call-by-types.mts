// Reads, writes and gets errors with openapi-fetch and the types of openapi-typescript.
import createClient from 'openapi-fetch'
import type { paths as Extensions } from './extensions-types.ts'
import type { paths } from './rest-types.ts'

const options = {
  baseUrl: process.env.REST ?? '',
  headers: { authorization: `Bearer ${process.env.TOKEN}` },
}
const client = createClient<paths>(options)
const made = await client.POST('/api/organization', { body: { name: 'By types' } })
if (made.data?.organization.name !== 'By types') throw new Error(JSON.stringify(made.error))
const list = await client.GET('/api/projects', { params: { query: { pageSize: 2 } } })
if (list.data?.result.pageSize !== 2) throw new Error(JSON.stringify(list.error))
const rejected = await client.POST('/api/organization', { body: { name: ' ' } })
if (!rejected.error?.message) throw new Error('An organization without a name was accepted.')
const people = await createClient<Extensions>(options).GET('/ext/people')
if (!people.data?.result.totalCount) throw new Error(JSON.stringify(people.error))
console.log('openapi-typescript: created', made.data.organization.id)
