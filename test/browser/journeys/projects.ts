import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cheapPasswords } from '../../support/cheap-passwords.ts'
import { insertAccount } from '../../support/insert-account.ts'
import type { Stage } from '../support/stage.ts'
import { password } from '../support/workspace.ts'

export function projectJourneys(stage: () => Stage): void {
  test('are under their organizations, and are found by a part of their name', async () => {
    const { signIn, workspace } = stage()
    const { id: organizationId } = await workspace.make('organization', { name: 'Harbour' })
    await workspace.make('project', { name: 'Crane', organizationId })
    const page = await signIn('root@example.com', '/projects')
    const harbour = page.getByRole('region', { name: 'Harbour' })
    await harbour.getByRole('link', { name: 'Crane' }).waitFor()
    await page.getByLabel('Search projects').fill('CRA')
    await page.getByText('Website relaunch').waitFor({ state: 'detached' })
    assert.match(page.url(), /search=CRA/)
    await page.getByLabel('Search projects').fill('no such thing')
    await page.getByText('No project is called “no such thing”').waitFor()
    await page.reload()
    await page.getByText('No project is called “no such thing”').waitFor()
  })

  test('are created with every mistake shown next to its field', async () => {
    const page = await stage().signIn('mara@example.com', '/projects')
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByText('Name is required.').waitFor()
    // A screen reader hears the message with the field.
    assert.equal(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid'), 'true')
    const noteId = await page.getByLabel('Name', { exact: true }).getAttribute('aria-describedby')
    assert.equal(await page.locator(`[id="${noteId}"]`).textContent(), 'Name is required.')
    await page.locator('[name=name]:focus').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Garden')
    await page.getByLabel('Organization').selectOption('Lighthouse Studio')
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByRole('heading', { name: 'Garden' }).waitFor()
  })

  test('keep what was typed when their dialog is closed by mistake', async () => {
    const page = await stage().signIn('mara@example.com', '/projects')
    const open = page.getByRole('button', { name: 'New project' })
    await open.click()
    await page.getByLabel('Name', { exact: true }).fill('Half a')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.locator('.button.primary:focus', { hasText: 'New project' }).waitFor()
    await open.click()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Half a')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await open.click()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), '')
  })

  test('that another user has renamed meanwhile show both names, and offer a choice', async () => {
    const { signIn, workspace } = stage()
    const { organizationId } = workspace
    const { id } = await workspace.make('project', { name: 'First name', organizationId })
    const page = await signIn('root@example.com', '/projects')
    await page.getByRole('button', { name: 'Actions for First name' }).click()
    await page.getByRole('menuitem', { name: 'Rename…' }).click()
    await page.getByLabel('Name', { exact: true }).fill('My name')
    await workspace.change('PATCH', 'project', { id, name: 'Their name', organizationId })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Someone else has changed this project in the meantime.').waitFor()
    const dialog = page.getByRole('dialog')
    assert.equal(await dialog.getByText('Their name').count(), 1)
    assert.equal((await workspace.get('project', id)).name, 'Their name')
    await page.getByRole('button', { name: 'Save mine anyway' }).click()
    await page.getByRole('link', { name: 'My name' }).waitFor()
    assert.equal((await workspace.get('project', id)).name, 'My name')
  })

  test('come back after a removal was undone', async () => {
    const { signIn, workspace } = stage()
    await workspace.make('project', { name: 'Thrown away', organizationId: workspace.organizationId })
    const page = await signIn('root@example.com', '/projects')
    const link = page.getByRole('link', { name: 'Thrown away' })
    await page.getByRole('button', { name: 'Actions for Thrown away' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByText('Thrown away was removed.').waitFor()
    await link.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Undo' }).click()
    await link.waitFor()
  })

  test('with assignments cannot be removed, and say why', async () => {
    const { signIn, workspace } = stage()
    await workspace.assignment('In the way of removal')
    const page = await signIn('root@example.com', '/projects')
    await page.getByRole('button', { name: 'Actions for Website relaunch' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.locator('.toast.problem', { hasText: 'assignments' }).waitFor()
    await page.getByRole('link', { name: 'Website relaunch' }).waitFor()
  })

  test('ask before one leaves a project oneself, and take other removals back from inside the dialog', async () => {
    const { signIn, workspace } = stage()
    const { id: projectId } = await workspace.make('project', {
      name: 'Left by Mara',
      organizationId: workspace.organizationId,
    })
    for (const userId of [workspace.mara.id, workspace.jonas.id, workspace.jonas.id])
      await workspace.make('userProject', { projectId, userId }).catch(() => undefined)
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
    await question.getByRole('button', { name: 'Leave the project' }).click()
    await page.getByRole('link', { name: 'Left by Mara' }).waitFor({ state: 'detached' })
  })

  test('tell a new user where to find whom, and what to do', async () => {
    const { hosts, signIn } = stage()
    const newcomer = await insertAccount(hosts.database, {
      name: 'Nils New',
      login: 'nils@example.com',
      passwordHash: await cheapPasswords().hash(password),
    })
    const page = await signIn(newcomer.login, '/projects')
    await page.getByRole('button', { name: 'New project' }).click()
    await page.getByLabel('Name', { exact: true }).fill('Alone')
    await page.getByLabel('Organization').selectOption('Lighthouse Studio')
    await page.getByRole('button', { name: 'Create project' }).click()
    await page.getByRole('heading', { name: 'Alone' }).waitFor()
    await page.goto(`${hosts.web}/projects`)
    await page.getByRole('button', { name: 'Actions for Alone' }).click()
    await page.getByRole('menuitem', { name: 'Members…' }).click()
    await page.getByText('You can find people you already share a project with.').waitFor()
    await page.getByRole('combobox', { name: 'Add a member' }).fill('Jonas')
    await page.getByText('No one found.').waitFor()
  })

  test('get and lose members, found by name', async () => {
    const { signIn, workspace } = stage()
    const { id } = await workspace.make('project', {
      name: 'Open house',
      organizationId: workspace.organizationId,
    })
    const page = await signIn('root@example.com', '/projects')
    await page.getByRole('button', { name: 'Actions for Open house' }).click()
    await page.getByRole('menuitem', { name: 'Members…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Members of Open house' })
    await dialog.getByText('Rosa Root').waitFor()
    const add = dialog.getByRole('combobox', { name: 'Add a member' })
    await add.fill('jon')
    await dialog.getByRole('option', { name: 'Jonas Weber' }).waitFor()
    await add.press('Enter')
    await dialog.getByRole('button', { name: 'Remove Jonas Weber from the project' }).click()
    await dialog.getByRole('button', { name: /Remove Jonas/ }).waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Actions for Open house' }).click()
    await page.getByRole('menuitem', { name: 'Members…' }).click()
    await dialog.getByText('Jonas Weber').waitFor()
    assert.ok(id)
  })
}
