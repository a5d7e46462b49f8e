import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stage } from '../support/stage.ts'

export function panelJourneys(stage: () => Stage): void {
  const addressOf = (id: string) => `/projects/${stage().workspace.projectId}/assignments/${id}`

  test('opens over its board, has an address of its own, and Escape leads back to its card', async () => {
    const { hosts, signIn, workspace } = stage()
    const id = await workspace.assignment('Opened')
    const page = await signIn('mara@example.com', `/projects/${workspace.projectId}?search=Opened`)
    await page.getByRole('link', { name: 'Opened' }).click()
    const panel = page.getByRole('complementary', { name: 'Opened' })
    await panel.waitFor()
    assert.equal(page.url(), `${hosts.web}${addressOf(id)}?search=Opened`)
    await page.reload()
    await panel.getByLabel('Name', { exact: true }).waitFor()
    await panel.getByRole('heading', { name: 'Opened' }).focus()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.locator(`#card-${id}:focus`).waitFor()
    await page.goBack()
    await panel.waitFor()
  })

  test('shows each refusal beside its field, and keeps what was typed', async () => {
    const { signIn, workspace } = stage()
    const page = await signIn('mara@example.com', addressOf(await workspace.assignment('Wrong dates')))
    await page.getByLabel('End', { exact: true }).fill('2026-11-01')
    await page.getByLabel('Planned hours').fill('1.234')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Planned hours must be a multiple of 0.01.').waitFor()
    await page.getByLabel('Planned hours').fill('many')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Hours are a number, such as 1.5 or 1:30.').waitFor()
    await page.getByLabel('Planned hours').fill('2,5')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('End date must be on or after start date.').waitFor()
    assert.equal(await page.getByLabel('Planned hours').inputValue(), '2,5')
    await page.getByLabel('End', { exact: true }).fill('2026-11-30')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Wrong dates was saved.').waitFor()
  })

  test('follows others in the fields one has not touched, and saving sets none of theirs back', async () => {
    const { signIn, workspace } = stage()
    const id = await workspace.assignment('Shared work')
    const page = await signIn('mara@example.com', addressOf(id))
    await page.getByLabel('Description').fill('Mine, half typed')
    const record = await workspace.get('assignment', id)
    await workspace.change('PATCH', 'assignment', { ...record, name: 'Shared work, renamed' })
    await page.getByRole('heading', { name: 'Shared work, renamed' }).waitFor()
    assert.equal(await page.getByLabel('Description').inputValue(), 'Mine, half typed')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Shared work, renamed was saved.').waitFor()
    const saved = await workspace.get('assignment', id)
    assert.equal(saved.name, 'Shared work, renamed')
    assert.equal(saved.description, 'Mine, half typed')
  })

  test('shows the time recorded against the time planned, and takes more', async () => {
    const { signIn, workspace } = stage()
    const id = await workspace.assignment('Timed', { amountHours: 4 })
    await workspace.make('appointment', {
      assignmentId: id,
      userId: workspace.jonas.id,
      keepDate: '2026-11-17',
      amountHours: 1.5,
    })
    const page = await signIn('mara@example.com', addressOf(id))
    await page.getByText('1.5 h of 4 h').waitFor()
    // Members know each other by name.
    await page.locator('.panel .row', { hasText: 'Jonas Weber' }).waitFor()
    // Somebody else's time is not one's own to remove.
    assert.equal(await page.getByRole('button', { name: /Remove 1.5 h/ }).count(), 0)
    await page.getByRole('button', { name: 'Record time' }).click()
    await page.getByLabel('Hours', { exact: true }).fill('3:15')
    await page.getByLabel('What for').fill('Talks')
    await page.getByRole('button', { name: 'Record', exact: true }).click()
    await page.getByText('4.75 h of 4 h, 0.75 h over').waitFor()
    await page.getByRole('button', { name: /Remove 3.25 h/ }).click()
    await page.getByText('1.5 h of 4 h').waitFor()
    await page.keyboard.press('Control+z')
    await page.getByText('4.75 h of 4 h').waitFor()
  })

  test('takes people and impediments, and lets them go', async () => {
    const { signIn, workspace } = stage()
    const page = await signIn('root@example.com', addressOf(await workspace.assignment('In company')))
    await page.getByRole('combobox', { name: 'Add a person' }).fill('Mara')
    await page.getByRole('option', { name: 'Mara Lindqvist' }).click()
    await page.getByRole('button', { name: 'Remove Mara Lindqvist from the assignment' }).waitFor()
    await page.getByRole('button', { name: 'Add an impediment' }).click()
    await page.getByLabel('What is in the way').selectOption('Waiting for the customer')
    await page.getByLabel('Note').fill('Until Friday')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('Until Friday').waitFor()
    await page.locator('.card', { hasText: 'In company' }).getByText('Blocked').waitFor()
    await page.getByRole('button', { name: 'Remove this assignment' }).click()
    await page.locator('.toast.problem').waitFor()
    await page.getByRole('button', { name: 'Remove the impediment Waiting for the customer' }).click()
    await page.getByText('Until Friday').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Remove this assignment' }).click()
    await page.getByText('In company was removed.').waitFor()
    await page.locator('.card', { hasText: 'In company' }).waitFor({ state: 'detached' })
  })
}
