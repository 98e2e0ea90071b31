import { resolve } from 'node:path';
import { RELATIONS, RESOURCES, type Resource } from '@sallyport/contract';
import { audits } from '../features/audits/index.ts';
import { CSRF_COOKIE, identity, isHttps, setCsrfCookie } from '../features/identity/index.ts';
import { license } from '../features/license/index.ts';
import { orgs } from '../features/orgs/index.ts';
import { lockGrantsFor } from '../features/perms/index.ts';
import { settings } from '../features/settings/index.ts';
import { type App, createApp } from '../http/app.ts';
import { mountDocsPage } from '../http/docs-page.ts';
import { mountDownloads } from '../http/downloads.ts';
import { mountApiDescription } from '../http/openapi.ts';
import { mountMovedAddresses, mountPages } from '../http/pages.ts';
import { addMetadataRoutes } from '../http/resources/endpoint-metadata.ts';
import { createImports } from '../http/resources/import-job.ts';
import { mountResource } from '../http/resources/mount.ts';
import { mountRelation } from '../http/resources/mount-relation.ts';
import { mountResourceSets } from '../http/resources/resource-sets.ts';
import { mountUndoImport } from '../http/resources/undo-import.ts';
import { enableSockets } from '../http/socket.ts';
import type { Core } from '../module.ts';
import { createGate } from '../platform/gate.ts';
import { SERVER_FOLDER } from '../platform/process/server-folder.ts';
import { serverZone } from '../platform/settings/service.ts';
import { createEngines, type Engines } from '../resources/engines.ts';
import type { Modules } from './create-modules.ts';

/** Builds the engines of all resources, and the HTTP application with all routes. */
export async function createSite(
  {
    config,
    db,
    replica,
    log,
    vault,
    jobs,
  }: Pick<Core, 'config' | 'db' | 'replica' | 'log' | 'vault' | 'jobs'>,
  modules: Modules,
  declared: readonly Resource[] = RESOURCES,
): Promise<{ app: App; engines: Engines }> {
  const inForce = modules.use(settings);
  const services = {
    db,
    replica,
    vault,
    audit: modules.use(audits).write,
    usedIds: modules.use(audits).usedIds,
    organizationName: (id: string) => modules.use(orgs).nameOf(id),
    lockGrants: lockGrantsFor,
    keepDeletedDays: () => inForce.get('DELETED_KEEP_DAYS'),
    longReads: createGate(config.databasePoolSize / 3),
  };
  const resources = declared.filter(modules.isServed);
  const engines = createEngines(modules.hooks, services, resources);
  const app = await createApp({
    log,
    authenticator: modules.use(identity).authenticator,
    trustedProxies: config.trustedProxies,
    trustForwardedHost: config.trustForwardedHost,
    ...(config.publicUrl !== undefined && {
      allowedHosts: [new URL(config.publicUrl).hostname, ...config.allowedHosts],
    }),
    localeDefaults: () => ({
      language: inForce.get('SERVER_LANGUAGE'),
      zone: serverZone(inForce),
    }),
    isLicensed: () => modules.use(license).isLicensed(),
  });
  const { http } = app;
  enableSockets(http);
  mountResourceSets(http, db, engines);
  const imports = createImports(jobs);
  for (const engine of engines.values()) mountResource(http, engine, engines, imports);
  mountUndoImport(http, engines, db);
  for (const relation of RELATIONS) mountRelation(http, relation, engines, services);
  await modules.addRoutes({ http, engines, services });
  addMetadataRoutes(http, app.routes);
  mountApiDescription(http, app.routes, resources);
  mountDocsPage(http);
  mountMovedAddresses(http);
  mountDownloads(http);
  await mountPages(http, {
    folder: resolve(SERVER_FOLDER, '../web/dist'),
    isOptional: config.isDevelopment,
    prepare: (reply) => {
      if (!reply.request.cookies[CSRF_COOKIE])
        setCsrfCookie(reply, isHttps(reply.request, config.publicUrl));
    },
  });
  return { app, engines };
}
