// Reads, writes and gets errors with the client that @hey-api/openapi-ts generated.
import { createClient } from './hey-rest/client'
import { createOrganization, listProjects } from './hey-rest/sdk.gen'

const client = createClient({ baseUrl: process.env.REST ?? '', auth: () => process.env.TOKEN ?? '' })
async function main() {
  const made = await createOrganization({ client, body: { name: 'By hey-api' } })
  if (made.data?.organization.name !== 'By hey-api') throw new Error(JSON.stringify(made.error))
  const list = await listProjects({ client, query: { pageSize: 2 } })
  if (list.data?.result.pageSize !== 2) throw new Error(JSON.stringify(list.error))
  const rejected = await createOrganization({ client, body: { name: ' ' } })
  if (!rejected.error?.message) throw new Error('An organization without a name was accepted.')
  console.log('hey-api: created', made.data.organization.id)
}
void main()
