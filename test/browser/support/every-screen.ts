import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { sql } from '../../../src/store/sql.ts'
import { matchPath } from '../../../web/src/router/match-path.ts'
import type { TrackerHosts } from './tracker-hosts.ts'
import type { TestWorkspace } from './workspace.ts'

/** An address of a screen, with what shows that it is drawn. */
export interface ScreenAddress {
  readonly path: string
  readonly shows: string
}

const nowhere = /^(There is nothing here|Não há nada aqui)$/

/**
 * Goes to a screen without loading the client anew, as its links do, which costs a quarter. An address of nothing comes
 * first, so that whatever was open on the screen before is closed.
 */
export async function goWithin(page: Page, path: string): Promise<void> {
  const heading = page.locator('main h1')
  const go = (to: string) =>
    page.evaluate(
      `history.pushState(null, '', ${JSON.stringify(to)}); dispatchEvent(new PopStateEvent('popstate'))`,
    )
  await go('/nothing-here')
  await heading.filter({ hasText: nowhere }).waitFor()
  await go(path)
  await heading.filter({ hasNotText: nowhere }).waitFor()
}

/** The screens of the client, of which each test of all screens has to know an address. */
export async function everyScreen(
  { database }: Pick<TrackerHosts, 'database'>,
  { projectId, administrator }: Pick<TestWorkspace, 'projectId' | 'administrator'>,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<readonly ScreenAddress[]> {
  // Only the web client makes one, so its row has to do.
  await database.query(sql`
    insert into registered_clients
      (id, name, redirect_uris, post_logout_redirect_uris, scopes, is_first_party, requires_pkce, made_by)
    values ('client-0123456789abcdef', 'The wiki', '{https://wiki.example.com/callback}', '{}', '{openid}', false, true,
      ${administrator.id}) on conflict do nothing`)
  const project = `/projects/${projectId}`
  const addresses: readonly ScreenAddress[] = [
    { path: '/my-work', shows: 'My work' },
    { path: '/projects', shows: 'Website relaunch' },
    { path: project, shows: 'Backlog' },
    { path: `${project}?view=list`, shows: 'Backlog' },
    { path: `${project}?view=calendar&month=2026-11`, shows: 'November 2026' },
    { path: `${project}?view=timeline&from=2026-11-16`, shows: name },
    { path: `${project}/assignments/${id}`, shows: 'Planned hours' },
    { path: `${project}/activity`, shows: name },
    { path: `${project}/webhooks`, shows: 'No webhooks yet' },
    { path: `${project}/report`, shows: 'Hours per assignment' },
    { path: '/webhooks', shows: 'No webhooks yet' },
    { path: '/week?week=2026-11-16', shows: name },
    { path: '/impediments?whose=all', shows: 'Impediments' },
    { path: '/reports', shows: 'Hours per project' },
    { path: '/reports/sums?period=year', shows: 'Also without hours in this period' },
    { path: '/administration/users', shows: 'mara@example.com' },
    { path: '/administration/workflows', shows: 'Backlog' },
    { path: '/clients', shows: 'The wiki' },
    { path: '/removed/assignments', shows: 'Removed records' },
    { path: '/account', shows: 'New password' },
  ]
  const forgotten = (await patterns()).filter(
    (pattern) => !addresses.some(({ path }) => matchPath(pattern, path.split('?', 1)[0] ?? '')),
  )
  assert.deepEqual(forgotten, [], 'The client has screens of which no address is listed here.')
  return addresses
}

/** From the client's own table. Its types are the client's, which has a configuration of its own. */
async function patterns(): Promise<readonly string[]> {
  const table = new URL('../../../web/src/app/screens.ts', import.meta.url)
  const { screens } = (await import(table.href)) as {
    readonly screens: readonly { readonly paths: readonly string[] }[]
  }
  return screens.flatMap(({ paths }) => paths)
}
