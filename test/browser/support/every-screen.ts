import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { sql } from '../../../src/db/sql.ts'
import { matchPath } from '../../../web/src/router/router.ts'
import type { TrackerHosts } from './tracker-hosts.ts'
import type { TestWorkspace } from './workspace.ts'

/** The path of a screen, and a text that appears when the screen is rendered. */
export interface ScreenAddress {
  readonly path: string
  readonly shows: string
}

type Shape = 'rows' | 'columns' | 'grid' | 'fields' | 'boxes'

export interface LoadedScreen extends ScreenAddress {
  /** The shape of the skeleton while the screen is loading. */
  readonly shape: Shape
  /** The shape on phones. Undefined for screens that are not checked there. */
  readonly shapeOnPhones?: Shape
}

const notFoundHeading = /^(Page not found|Não há nada aqui)$/

/**
 * Opens a screen without reloading the client, which takes a quarter of the time. An unknown path is opened
 * first, so that dialogs and panels of the previous screen are closed.
 */
export async function goWithin(page: Page, path: string): Promise<void> {
  const heading = page.locator('main h1')
  const go = (to: string) =>
    page.evaluate(
      `history.pushState(null, '', ${JSON.stringify(to)}); dispatchEvent(new PopStateEvent('popstate'))`,
    )
  await go('/nothing-here')
  await heading.filter({ hasText: notFoundHeading }).waitFor()
  await go(path)
  await heading.filter({ hasNotText: notFoundHeading }).waitFor()
}

/**
 * Returns an address of every screen of the client, for tests of all screens. The last parameter is an
 * assignment of the project.
 */
export async function everyScreen(
  { database }: Pick<TrackerHosts, 'database'>,
  { projectId, administrator }: Pick<TestWorkspace, 'projectId' | 'administrator'>,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<readonly LoadedScreen[]> {
  // Only the web client can register an app, so the row is inserted directly.
  await database.query(sql`
    insert into registered_clients
      (id, name, redirect_uris, post_logout_redirect_uris, scopes, is_first_party, requires_pkce, made_by)
    values ('client-0123456789abcdef', 'The wiki', '{https://wiki.example.com/callback}', '{}', '{openid}', false, true,
      ${administrator.id}) on conflict do nothing`)
  const project = `/projects/${projectId}`
  const addresses: readonly LoadedScreen[] = [
    { path: '/my-work', shows: 'My work', shape: 'rows' },
    { path: '/projects', shows: 'Website relaunch', shape: 'rows' },
    { path: project, shows: 'Backlog', shape: 'columns', shapeOnPhones: 'columns' },
    { path: `${project}?view=list`, shows: 'Backlog', shape: 'grid' },
    {
      path: `${project}?view=calendar&month=2026-11`,
      shows: 'November 2026',
      shape: 'grid',
      shapeOnPhones: 'rows',
    },
    { path: `${project}?view=timeline&from=2026-11-16`, shows: name, shape: 'grid' },
    {
      path: `${project}/assignments/${id}`,
      shows: 'Planned hours',
      shape: 'fields',
      shapeOnPhones: 'fields',
    },
    {
      path: '/a/NONE-1',
      shows: 'There is no such assignment, or you are not a member of its project',
      shape: 'fields',
    },
    { path: '/inbox', shows: 'Inbox', shape: 'rows' },
    { path: `${project}/activity`, shows: name, shape: 'rows' },
    { path: `${project}/settings`, shows: 'Archive or remove', shape: 'boxes' },
    { path: `${project}/import`, shows: 'Choose a file', shape: 'fields' },
    { path: `${project}/webhooks`, shows: 'No webhooks yet', shape: 'rows' },
    { path: `${project}/report`, shows: 'Hours per assignment', shape: 'boxes' },
    { path: '/webhooks', shows: 'No webhooks yet', shape: 'rows' },
    { path: '/week?week=2026-11-16', shows: name, shape: 'grid' },
    { path: '/impediments?whose=all', shows: 'Impediments', shape: 'rows' },
    { path: '/reports', shows: 'Hours per project', shape: 'boxes' },
    { path: '/reports/sums?period=year', shows: 'Then by', shape: 'grid' },
    { path: '/administration/users', shows: 'mara@example.com', shape: 'rows' },
    { path: '/administration/sign-in', shows: 'Identity__Passwords', shape: 'rows' },
    { path: '/administration/workflows', shows: 'Backlog', shape: 'rows' },
    { path: '/clients', shows: 'The wiki', shape: 'rows' },
    { path: '/removed/assignments', shows: 'Removed items', shape: 'rows' },
    // The text is in the part that arrives last. It is that of the longest button, for tests of narrow widths.
    { path: '/account', shows: 'Add an authenticator app', shape: 'boxes' },
  ]
  const missing = (await readPathPatterns()).filter(
    (pattern) => !addresses.some(({ path }) => matchPath(pattern, path.split('?', 1)[0] ?? '')),
  )
  assert.deepEqual(missing, [], 'The client has screens of which no address is listed here.')
  return addresses
}

/**
 * Reads the client's table of screens. The import is dynamic, because the client has another TypeScript
 * configuration.
 */
async function readPathPatterns(): Promise<readonly string[]> {
  const table = new URL('../../../web/src/app/screens.ts', import.meta.url)
  const { screens } = (await import(table.href)) as {
    readonly screens: readonly { readonly paths: readonly string[] }[]
  }
  return screens.flatMap(({ paths }) => paths)
}
