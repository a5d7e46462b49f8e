import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { assertEnvelope } from '../support/assertions.ts'
import { fixture } from '../support/fixture.ts'
import { openEventStream } from '../support/live-events.ts'
import { type Person, startRestUnderTest } from '../support/rest-host.ts'
import { seed } from '../support/seed.ts'

interface ListedPerson {
  readonly id: string
  readonly name: string
}

const serializePerson = ({ id, name }: Person): ListedPerson => ({ id, name })
const byName = (people: readonly Person[]) =>
  people.map(serializePerson).sort((first, second) => (first.name < second.name ? -1 : 1))

describe('The people of GET /ext/people', { concurrency: true }, () => {
  const ask = (person: Person, query: Readonly<Record<string, string>> = {}) =>
    person.call('GET', `/ext/people?${new URLSearchParams(query)}`)
  const pageOf = async (person: Person, query?: Readonly<Record<string, string>>) => {
    const answer = await ask(person, query)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.result
  }
  const peopleOf = async (
    person: Person,
    query?: Readonly<Record<string, string>>,
  ): Promise<ListedPerson[]> => (await pageOf(person, query)).data
  const signUp = (...names: readonly string[]) => Promise.all(names.map((name) => rest.signUp({ name })))

  /** Creates three users: Ann and Bob share a project, Carl is alone in another one. */
  const seedPeople = async () => {
    const [ann, bob, carl] = (await signUp('Ann', 'Bob', 'Carl')) as [Person, Person, Person]
    const project = await workspace.project('Shared', ann)
    const membership = await workspace.join(project, bob.id)
    await workspace.project('Alone', carl)
    return { ann, bob, carl, project, membership }
  }

  const rest = fixture(startRestUnderTest)
  const workspace = fixture(seed, rest)

  test('are the caller and the users who share a project with the caller', async () => {
    const { ann, bob, carl } = await seedPeople()
    assert.deepEqual(await pageOf(ann), {
      data: byName([ann, bob]),
      totalCount: 2,
      pageNumber: 1,
      pageSize: 10,
      totalPages: 1,
    })
    assert.deepEqual(await peopleOf(bob), byName([ann, bob]))
    assert.deepEqual(await peopleOf(carl), [serializePerson(carl)])
  })

  test('are only the caller if the caller is in no project', async () => {
    const [dora] = (await signUp('Dora')) as [Person]
    assert.deepEqual(await peopleOf(dora), [serializePerson(dora)])
  })

  test('without a shared project are found neither by id nor by name', async () => {
    const { ann, carl } = await seedPeople()
    assert.deepEqual(await peopleOf(ann, { ids: carl.id }), [])
    assert.deepEqual(await peopleOf(ann, { search: 'Carl' }), [])
  })

  test('do not include users of other projects of a shared user', async () => {
    const { ann, bob, carl } = await seedPeople()
    const other = await workspace.project('Other', bob)
    await workspace.join(other, carl.id)
    assert.deepEqual(await peopleOf(ann), byName([ann, bob]))
    assert.deepEqual(await peopleOf(bob), byName([ann, bob, carl]))
  })

  test('are listed once, even if they share several projects', async () => {
    const { ann, bob } = await seedPeople()
    await workspace.join(await workspace.project('Second', ann), bob.id)
    assert.deepEqual(await peopleOf(ann), byName([ann, bob]))
  })

  test('are no longer listed for each other when a membership ends', async () => {
    const { ann, bob, membership } = await seedPeople()
    await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
    assert.deepEqual(await peopleOf(ann), [serializePerson(ann)])
    assert.deepEqual(await peopleOf(bob), [serializePerson(bob)])
  })

  test('of a removed project are not listed until it is restored', async () => {
    const { ann, bob, project } = await seedPeople()
    await workspace.write('DELETE', '/api/project', { ids: [project] })
    assert.deepEqual(await peopleOf(ann), [serializePerson(ann)])
    await workspace.write('POST', '/api/project/restore', { ids: [project] }, bob)
    assert.deepEqual(await peopleOf(ann), byName([ann, bob]))
  })

  test('are active accounts only, even for administrators', async () => {
    const { ann, bob } = await seedPeople()
    await workspace.write('DELETE', '/api/user', { ids: [bob.id] })
    assert.deepEqual(await peopleOf(ann), [serializePerson(ann)])
    assert.deepEqual(await peopleOf(rest.administrator, { ids: `${ann.id},${bob.id}` }), [
      serializePerson(ann),
    ])
  })

  test('are all users for administrators', async () => {
    const { ann, bob, carl } = await seedPeople()
    const ids = [ann, bob, carl].map(({ id }) => id).join(',')
    assert.deepEqual(await peopleOf(rest.administrator, { ids }), byName([ann, bob, carl]))
    assert.ok((await pageOf(rest.administrator)).totalCount >= 4)
  })

  test('have no login, and can be neither searched nor sorted by it', async () => {
    const { ann, bob } = await seedPeople()
    for (const person of [ann, rest.administrator]) {
      for (const search of [bob.login, bob.login.slice(1, 8), '@', 'example.com'])
        assert.equal((await pageOf(person, { search, ids: bob.id })).totalCount, 0, search)
      for (const sortColumn of ['login', 'passwordHash', 'createdAt', 'id', 'name']) {
        const answer = await ask(person, { sortColumn, ids: `${ann.id},${bob.id}`, pageSize: '100' })
        assert.deepEqual(answer.body.result.data, byName([ann, bob]), 'The order is always by name.')
        assert.doesNotMatch(JSON.stringify(answer.body), /login|@example/)
      }
    }
  })

  test('are searched by any part of the name', async () => {
    const [ann, percent, underscore] = (await signUp('Ann', '100% Paul', 'P_ul')) as [Person, Person, Person]
    const project = await workspace.project('Wild', ann)
    await Promise.all([percent, underscore].map(({ id }) => workspace.join(project, id)))
    assert.deepEqual(await peopleOf(ann, { search: ' pAUl ' }), [serializePerson(percent)])
    assert.deepEqual(await peopleOf(ann, { search: '%' }), [serializePerson(percent)])
    assert.deepEqual(await peopleOf(ann, { search: '_' }), [serializePerson(underscore)])
    assert.deepEqual(await peopleOf(ann, { search: '\\' }), [])
    assert.equal((await pageOf(ann, { search: ' ' })).totalCount, 3)
  })

  test('are sorted by name and then by id, in pages that do not overlap', async () => {
    const same = await signUp('Same', 'Same', 'Same')
    const [ann, zoe] = (await signUp('Ann', 'Zoe')) as [Person, Person]
    const project = await workspace.project('Paged', ann)
    await Promise.all([...same, zoe].map(({ id }) => workspace.join(project, id)))
    const sortedSameIds = same.map(({ id }) => id).sort()
    const inPages = async (order: Readonly<Record<string, string>>) => {
      const pages = []
      for (const pageNumber of ['1', '2', '3']) {
        const page = await pageOf(ann, { ...order, pageNumber, pageSize: '2' })
        assert.deepEqual([page.totalCount, page.totalPages, page.pageSize], [5, 3, 2])
        pages.push(...page.data.map(({ id }: ListedPerson) => id))
      }
      return pages
    }
    assert.deepEqual(await inPages({}), [ann.id, ...sortedSameIds, zoe.id])
    assert.deepEqual(await inPages({ sortOrder: 'desc' }), [zoe.id, ...sortedSameIds, ann.id])
    assert.deepEqual((await pageOf(ann, { pageNumber: '4', pageSize: '2' })).data, [])
  })

  test('are filtered by ids', async () => {
    const { ann, bob, carl } = await seedPeople()
    assert.deepEqual(await peopleOf(ann, { ids: `${bob.id}, ${carl.id},${bob.id}` }), [serializePerson(bob)])
  })

  for (const [query, errors] of [
    ['userId=00000000-0000-4000-8000-000000000000', { userId: ['People cannot be filtered by userId.'] }],
    ['projectId=x', { projectId: ['ProjectId must be a UUID.', 'People cannot be filtered by projectId.'] }],
    ['dateFrom=2026-01-01', { dateFrom: ['People cannot be filtered by dateFrom.'] }],
    ['pageSize=101', { pageSize: ['PageSize must be a whole number from 1 to 100.'] }],
    ['pageNumber=0', { pageNumber: ['PageNumber must be a whole number from 1 to 21474836.'] }],
    ['sortOrder=up', { sortOrder: ['SortOrder must be ASC or DESC.'] }],
    [`search=${'x'.repeat(129)}`, { search: ['Search must be at most 128 characters.'] }],
    ['ids=17', { ids: ['Ids must be UUIDs separated by commas.'] }],
    ['search=a&search=b', { search: ['Search must be given once.'] }],
  ] as const)
    test(`cannot be listed with ${query.slice(0, 40)}`, async () => {
      const answer = await rest.administrator.call('GET', `/ext/people?${query}`)
      assertEnvelope(answer, 400)
      assert.deepEqual(answer.body.errors, errors)
    })

  test('have an ETag for each caller', async () => {
    const { ann, bob, membership } = await seedPeople()
    const tag = (await ask(ann)).headers.get('etag') ?? ''
    const revalidate = ({ token }: Person) =>
      rest.call('GET', '/ext/people', { token, headers: { 'if-none-match': tag } })
    assert.equal((await revalidate(ann)).status, 304)
    assert.equal((await revalidate(bob)).status, 200)
    await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
    assert.equal((await revalidate(ann)).status, 200)
  })

  test('have a live listing, which shows who joins, is renamed or leaves', async () => {
    const { ann, bob, carl, project } = await seedPeople()
    await using live = await openEventStream(rest.address, '/ext/people', { token: ann.token })
    const namesIn = (data: { result: { data: ListedPerson[] } }) => data.result.data.map(({ name }) => name)
    assert.deepEqual(namesIn((await live.next()).data), ['Ann', 'Bob'])
    const membership = await workspace.join(project, carl.id)
    assert.deepEqual(namesIn((await live.next()).data), ['Ann', 'Bob', 'Carl'])
    await workspace.write('PATCH', '/api/me', { name: 'Rob' }, bob)
    assert.deepEqual(namesIn((await live.next()).data), ['Ann', 'Carl', 'Rob'])
    await workspace.write('DELETE', '/api/userProject', { ids: [membership] })
    assert.deepEqual(namesIn((await live.next()).data), ['Ann', 'Rob'])
  })
})
