import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../../src/db/sql.ts'
import type { BrowserSetup } from '../support/browser-setup.ts'
import { datedProjects } from '../support/dated-projects.ts'
import { goWithin } from '../support/every-screen.ts'

const brokenAnswer = { status: 500, json: { statusCode: 500, message: 'Broken.' } }

export function memberJourneys(setup: () => BrowserSetup): void {
  test('are asked before they remove themselves', async () => {
    const { signIn } = setup()
    await datedProjects(setup).makeProject('Left by Mara')
    const page = await signIn('mara@example.com', '/projects')
    await page.getByRole('button', { name: 'Actions for Left by Mara' }).click()
    await page.getByRole('menuitem', { name: 'Members…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Members of Left by Mara' })
    await dialog.getByRole('button', { name: 'Remove Jonas Weber from the project' }).click()
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await dialog.getByRole('button', { name: 'Remove Jonas Weber from the project' }).waitFor()
    await dialog.getByRole('button', { name: 'Remove Mara Lindqvist from the project' }).click()
    const question = page.getByRole('dialog', { name: 'Leave Left by Mara?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await dialog.getByRole('button', { name: 'Remove Mara Lindqvist from the project' }).click()
    // A member whom the server did not remove still sees the members.
    await page.route('**/userProject', (route) => route.fulfill(brokenAnswer))
    await question.getByRole('button', { name: 'Leave the project' }).click()
    await page.getByText('Broken.').waitFor()
    await dialog.getByRole('button', { name: 'Remove Mara Lindqvist from the project' }).click()
    await page.unroute('**/userProject')
    await question.getByRole('button', { name: 'Leave the project' }).click()
    await page.getByRole('link', { name: 'Left by Mara' }).waitFor({ state: 'detached' })
  })

  test('are found by name, added and removed', async () => {
    const { signIn, workspace } = setup()
    await workspace.make('project', { name: 'Open house', organizationId: workspace.organizationId })
    const page = await signIn('root@example.com', '/projects')
    await page.getByRole('button', { name: 'Actions for Open house' }).click()
    await page.getByRole('menuitem', { name: 'Members…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Members of Open house' })
    await dialog.getByText('Rosa Root').waitFor()
    const add = dialog.getByRole('combobox', { name: 'Add a member' })
    // Users who are already members come last, and are marked.
    await add.click()
    await dialog.getByRole('option', { name: 'Jonas Weber' }).waitFor()
    assert.match((await dialog.getByRole('option').last().textContent()) ?? '', /Rosa Root.*Member$/)
    // A long message is wrapped within the dialog.
    await add.fill('no such person')
    await dialog.getByText('No one has this name.').waitFor()
    const list = dialog.getByRole('listbox', { name: 'Add a member' })
    assert.equal((await list.boundingBox())?.width, (await add.boundingBox())?.width)
    await add.fill('jon')
    await dialog.getByRole('option', { name: 'Jonas Weber' }).waitFor()
    await add.press('Enter')
    await dialog.getByRole('button', { name: 'Remove Jonas Weber from the project' }).click()
    await dialog.getByRole('button', { name: /Remove Jonas/ }).waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Actions for Open house' }).click()
    await page.getByRole('menuitem', { name: 'Members…' }).click()
    await dialog.getByText('Jonas Weber', { exact: true }).waitFor()
  })

  test('are searched and followed, whatever their number', async () => {
    const { hosts, signIn, workspace } = setup()
    const { mara, jonas, organizationId } = workspace
    const { id: projectId } = await workspace.make('project', { name: 'Crowded house', organizationId })
    await workspace.make('userProject', { projectId, userId: jonas.id })
    // Nine people, one of whom has so many memberships that they need a second page.
    await hosts.database.query(sql`
      with guests as (
        insert into users (id, name, login, password_hash, security_stamp)
        select gen_random_uuid(), 'Guest ' || number, 'guest-' || number || '@example.com', 'none', ''
        from generate_series(1, 6) as number
        returning id
      ), members as (
        select id from guests union all select ${mara.id}::uuid from generate_series(1, 100)
      )
      insert into user_projects (id, user_id, project_id) select gen_random_uuid(), id, ${projectId} from members`)
    const page = await signIn('mara@example.com', '/projects')
    await page.getByRole('button', { name: 'Actions for Crowded house' }).click()
    await page.getByRole('menuitem', { name: 'Members…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Members of Crowded house' })
    const search = dialog.getByRole('searchbox', { name: 'Search the members' })
    await search.fill('jonas')
    await dialog.getByText('Guest 1', { exact: true }).waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Remove Jonas Weber from the project' }).click()
    // The field stays until the search has ended, although a list of eight has none.
    await dialog.getByText('No member matches “jonas”.').waitFor()
    await search.fill('')
    await dialog.getByText('Guest 1', { exact: true }).waitFor()
    await search.waitFor({ state: 'detached' })
    const secondPage = /userProjects\?.*pageNumber=2/
    await page.route(secondPage, (route) => route.fulfill(brokenAnswer))
    await workspace.make('userProject', { projectId, userId: jonas.id })
    await dialog.getByText('Broken.').waitFor()
    await page.unroute(secondPage)
    await dialog.getByRole('button', { name: 'Try again' }).click()
    await dialog.getByText('Jonas Weber', { exact: true }).waitFor()
    // Whether a person is no member is known only with all pages.
    await workspace.assignment('Of a member', { projectId, userId: jonas.id })
    let isShown: boolean | undefined
    await page.route(secondPage, async (route) => {
      await page.getByText('Live', { exact: true }).waitFor()
      isShown = await page.getByRole('link', { name: 'Of a member' }).isVisible()
      await route.continue()
    })
    await goWithin(page, `/projects/${projectId}?userId=nonmember`)
    await page.getByText('No assignments match these filters').waitFor()
    assert.equal(isShown, false)
  })
}
