import type { ComponentType } from 'preact'
import { useEffect } from 'preact/hooks'
import { loadOnce } from '../api/load-all.ts'
import { matchPath, type PathParameters, type ScreenProps } from '../router/router.ts'
import { readStoredJson } from '../services/browser-storage.ts'
import { useServices } from '../services/services.ts'
import type { MessageKey } from '../texts/text.ts'
import type { IconName } from '../ui/icon.tsx'

export interface Screen {
  readonly paths: readonly string[]
  /** The link in the navigation. Missing for screens that are opened from other screens. */
  readonly link?: {
    readonly href: string
    readonly label: MessageKey
    readonly icon: IconName
    /** Phones show it in the account menu, because their bar has room for four links. */
    readonly isMinor?: boolean
  }
  /** The link that is marked as current on this screen, if the screen's address does not begin with it. */
  readonly activeHref?: string
  /** Hides the link from other users. The screen itself says that it is for administrators. */
  readonly administratorsOnly?: boolean
  /**
   * Imports the component once. Most screens are in a second script (`vite.config.ts`), loaded in the
   * background.
   */
  readonly load: () => Promise<ComponentType<ScreenProps>>
}

const loadWebhooks = loadOnce(
  async () => (await import('../screens/administration/webhooks-screen.tsx')).WebhooksScreen,
)

/** All screens, in the order of the navigation. */
export const screens: readonly Screen[] = [
  {
    paths: ['/my-work'],
    link: { href: '/my-work', label: 'My work', icon: 'checklist' },
    load: loadOnce(async () => (await import('../screens/my-work/my-work-screen.tsx')).MyWorkScreen),
  },
  {
    paths: ['/projects'],
    link: { href: '/projects', label: 'Projects', icon: 'folder' },
    load: loadOnce(async () => (await import('../screens/projects/projects-screen.tsx')).ProjectsScreen),
  },
  {
    paths: ['/projects/:projectId', '/projects/:projectId/assignments/:assignmentId'],
    load: loadOnce(async () => (await import('../screens/project/project-screen.tsx')).ProjectScreen),
  },
  {
    paths: ['/inbox'],
    load: loadOnce(async () => (await import('../screens/inbox/inbox-screen.tsx')).InboxScreen),
  },
  {
    paths: ['/a/:key'],
    load: loadOnce(
      async () => (await import('../screens/assignment-key/assignment-key-screen.tsx')).AssignmentKeyScreen,
    ),
  },
  {
    paths: ['/projects/:projectId/activity'],
    load: loadOnce(async () => (await import('../screens/activity/activity-screen.tsx')).ActivityScreen),
  },
  {
    paths: ['/projects/:projectId/settings'],
    load: loadOnce(
      async () =>
        (await import('../screens/project-settings/project-settings-screen.tsx')).ProjectSettingsScreen,
    ),
  },
  {
    paths: ['/projects/:projectId/import'],
    load: loadOnce(async () => (await import('../screens/import/import-screen.tsx')).ImportScreen),
  },
  {
    paths: ['/projects/:projectId/webhooks'],
    load: loadWebhooks,
  },
  {
    paths: ['/week'],
    link: { href: '/week', label: 'My week', icon: 'calendar' },
    load: loadOnce(async () => (await import('../screens/week/week-screen.tsx')).WeekScreen),
  },
  {
    paths: ['/impediments'],
    link: { href: '/impediments', label: 'Impediments', icon: 'warning' },
    load: loadOnce(
      async () => (await import('../screens/impediments/impediments-screen.tsx')).ImpedimentsScreen,
    ),
  },
  {
    paths: ['/reports', '/projects/:projectId/report'],
    link: { href: '/reports', isMinor: true, label: 'Reports', icon: 'chart' },
    load: loadOnce(async () => (await import('../screens/reports/reports-screen.tsx')).ReportsScreen),
  },
  {
    paths: ['/reports/sums'],
    load: loadOnce(async () => (await import('../screens/reports/sums-screen.tsx')).SumsScreen),
  },
  {
    paths: ['/administration/:catalog?'],
    link: { href: '/administration', isMinor: true, label: 'Admin', icon: 'shield' },
    administratorsOnly: true,
    load: loadOnce(
      async () => (await import('../screens/administration/administration-screen.tsx')).AdministrationScreen,
    ),
  },
  {
    paths: ['/clients'],
    activeHref: '/administration',
    load: loadOnce(async () => (await import('../screens/administration/clients-screen.tsx')).ClientsScreen),
  },
  {
    paths: ['/webhooks'],
    activeHref: '/administration',
    load: loadWebhooks,
  },
  {
    paths: ['/account'],
    load: loadOnce(async () => (await import('../screens/account/account-screen.tsx')).AccountScreen),
  },
  {
    paths: ['/removed/:kindSegment?'],
    load: loadOnce(async () => (await import('../screens/removed/removed-screen.tsx')).RemovedScreen),
  },
]

export function findScreen(path: string): { screen: Screen; parameters: PathParameters } | undefined {
  for (const screen of screens) {
    for (const pattern of screen.paths) {
      const parameters = matchPath(pattern, path)
      if (parameters !== undefined) return { screen, parameters }
    }
  }
  return undefined
}

/** Starts loading the script of the first screen while the configuration is requested. */
export function preloadScreen(path: string): void {
  // The screen reports the failure when it is shown.
  findScreen(path)
    ?.screen.load()
    .catch(() => undefined)
}

const recentKey = 'tracker.recent'
export const recentMax = 5

interface Recent {
  readonly projectId: string
  /** Missing for the project itself. */
  readonly assignmentId?: string
  /** The timestamp of the last opening. Missing in entries that earlier versions have stored. */
  readonly openedAt?: string
}

/**
 * Returns the projects and assignments that were opened last, newest first. Their names are not stored,
 * because they may change, and the user may lose access.
 */
export const readRecent = () => readStoredJson<readonly Recent[]>(recentKey) ?? []

/** Records the projects and assignments that the user opens. */
export function useRecent(): void {
  const { pathname } = useServices().router.address.value
  useEffect(() => {
    const { projectId, assignmentId } =
      matchPath('/projects/:projectId', pathname) ??
      matchPath('/projects/:projectId/assignments/:assignmentId', pathname) ??
      {}
    if (projectId === undefined) return
    const openedAt = new Date().toISOString()
    const opened: Recent = { projectId, ...(assignmentId !== undefined && { assignmentId }), openedAt }
    const otherPages = readRecent().filter(
      (recent) => recent.projectId !== projectId || recent.assignmentId !== assignmentId,
    )
    localStorage.setItem(recentKey, JSON.stringify([opened, ...otherPages].slice(0, 2 * recentMax)))
  }, [pathname])
}
