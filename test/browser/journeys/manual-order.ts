import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stage } from '../support/stage.ts'

export function manualOrderJourneys(stage: () => Stage): void {
  test('is changed by keys and by dragging, even to another stage, and other users see it', async () => {
    const { signIn, workspace } = stage()
    const { jonas, mara, make, organizationId } = workspace
    const project = await make('project', { name: 'Ordered by hand', organizationId })
    for (const { id } of [mara, jonas]) await make('userProject', { projectId: project.id, userId: id })
    // The later the name, the earlier it is due.
    for (const [index, name] of ['Anvil', 'Bellows', 'Chisel', 'Drill'].entries())
      await workspace.assignment(name, { projectId: project.id, endDate: `2099-01-0${9 - index}` })
    const path = `/projects/${project.id}`
    const page = await signIn('mara@example.com', path)
    const names = (column = 'Backlog', on = page) =>
      on.getByRole('region', { name: column }).locator('.card-link').allTextContents()
    const until = async (wanted: string, column = 'Backlog', on = page) => {
      for (let turn = 0; turn < 100 && (await names(column, on)).join(' ') !== wanted; turn += 1)
        await on.waitForTimeout(100)
      assert.equal((await names(column, on)).join(' '), wanted)
    }
    await until('Drill Chisel Bellows Anvil')
    await page.getByRole('button', { name: 'Order of the cards' }).click()
    await page.getByRole('menuitem', { name: 'By hand' }).click()
    await until('Anvil Bellows Chisel Drill')
    const other = await signIn('jonas@example.com', `${path}?order=hand`)

    const moved = () => page.waitForResponse((response) => response.url().endsWith('/ext/assignment/move'))
    const card = (name: string) => page.locator('.card').filter({ hasText: name })
    await Promise.all([moved(), card('Drill').locator('.card-link').press('Shift+ArrowUp')])
    await until('Anvil Bellows Drill Chisel')
    await Promise.all([moved(), page.keyboard.press('Shift+ArrowUp')])
    await until('Anvil Drill Bellows Chisel')
    await Promise.all([moved(), card('Chisel').dragTo(card('Anvil'), { targetPosition: { x: 20, y: 4 } })])
    await until('Chisel Anvil Drill Bellows')
    await Promise.all([moved(), page.keyboard.press('Control+z')])
    await until('Anvil Drill Bellows Chisel')
    await Promise.all([moved(), card('Chisel').dragTo(card('Anvil'), { targetPosition: { x: 20, y: 4 } })])
    await until('Chisel Anvil Drill Bellows')
    const doing = page.getByRole('region', { name: 'Doing' })
    await Promise.all([moved(), card('Anvil').dragTo(doing)])
    await until('Anvil', 'Doing')
    await Promise.all([moved(), card('Drill').dragTo(card('Anvil'), { targetPosition: { x: 20, y: 4 } })])
    await until('Drill Anvil', 'Doing')
    await until('Drill Anvil', 'Doing', other)
    await until('Chisel Bellows', 'Backlog', other)
    await page.reload()
    await until('Drill Anvil', 'Doing')
  })

  test('is chosen for a project and kept, but the address has priority', async () => {
    const { hosts, signIn, workspace } = stage()
    const { mara, make, organizationId } = workspace
    const project = await make('project', { name: 'Order kept', organizationId })
    await make('userProject', { projectId: project.id, userId: mara.id })
    const late = await workspace.assignment('Late', { projectId: project.id, endDate: '2099-01-09' })
    await workspace.assignment('Soon', { projectId: project.id, endDate: '2099-01-01' })
    const path = `/projects/${project.id}`
    const page = await signIn('mara@example.com', path)
    const until = async (first: string) => {
      await page.locator('.card').first().filter({ hasText: first }).waitFor()
    }
    await until('Soon')
    await page.getByRole('button', { name: 'Order of the cards' }).click()
    await page.getByRole('menuitem', { name: 'By hand' }).click()
    await until('Late')
    for (const again of ['', `/assignments/${late}`]) {
      await page.goto(`${hosts.web}${path}${again}`)
      await until('Late')
    }
    await page.goto(`${hosts.web}${path}?order=due`)
    await until('Soon')
    await page.goto(`${hosts.web}${path}?saved=none`)
    await until('Soon')
    await page.goto(`${hosts.web}${path}`)
    await until('Late')
    await page.getByRole('button', { name: 'Order of the cards' }).click()
    await page.getByRole('menuitem', { name: 'By due date' }).click()
    await until('Soon')
    await page.goto(`${hosts.web}${path}`)
    await until('Soon')
  })
}
