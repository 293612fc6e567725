import { expectTypeOf, test } from 'vitest';
import type { ApiClient } from '../../src/client/client.ts';
import type { ActivityItem } from '../../src/contract/activity.ts';
import type { Api } from '../../src/contract/contract.ts';
import type { CallOptions, Implementation } from '../../src/contract/define.ts';
import type { Incident, IncidentPreview } from '../../src/contract/incidents.ts';
import type { IncidentsService } from '../../src/contract/incidents-service.ts';
import { items, pages } from '../../src/contract/paging.ts';
import type { TaskList } from '../../src/contract/tasks.ts';
import type { User } from '../../src/contract/users.ts';

declare const api: Api;

test('a client has every service and group, and each method is one function', () => {
  expectTypeOf<keyof Api>().toEqualTypeOf<
    | 'ActivityService'
    | 'IncidentsService'
    | 'RolesService'
    | 'TasksService'
    | 'UsersService'
    | 'ShortUrls'
    | 'Dashboards'
    | 'Search'
  >();
  expectTypeOf<ApiClient>().toExtend<Api>();
  expectTypeOf(api.IncidentsService.GetIncident).parameter(0).toEqualTypeOf<{ incidentID: string }>();
  expectTypeOf(api.IncidentsService.GetIncident).parameter(1).toEqualTypeOf<CallOptions | undefined>();
  expectTypeOf(api.IncidentsService.GetIncident).returns.resolves.toEqualTypeOf<{
    incident: Incident;
    error: string;
  }>();
  expectTypeOf(api.Dashboards.get).parameter(0).toEqualTypeOf<{ uid: string }>();
  expectTypeOf(api.ShortUrls.goto).returns.resolves.toEqualTypeOf<{ location: string }>();
});

test('what a request may leave out may be left out, and what it must have must be there', () => {
  expectTypeOf<{ title: string }>().toExtend<Parameters<Api['IncidentsService']['CreateIncident']>[0]>();
  expectTypeOf<{ title: string; status: 'resolved'; labels: [{ label: string }] }>().toExtend<
    Parameters<Api['IncidentsService']['CreateIncident']>[0]
  >();
  expectTypeOf<{ severity: string }>().not.toExtend<Parameters<Api['IncidentsService']['CreateIncident']>[0]>();
  // @ts-expect-error a status is one of two words
  void (() => api.IncidentsService.UpdateStatus({ incidentID: '7', status: 'closed' }));
  // @ts-expect-error there is no such method
  void (() => api.IncidentsService.DeleteIncident({ incidentID: '7' }));
});

test('what is read is complete: lists are lists, texts are texts', () => {
  expectTypeOf<Incident['title']>().toEqualTypeOf<string>();
  expectTypeOf<Incident['taskList']>().toEqualTypeOf<TaskList>();
  expectTypeOf<IncidentPreview['fieldValues']>().toEqualTypeOf<
    { fieldID: number; fieldUUID: string; value: string }[] | null
  >();
  expectTypeOf<'userNote'>().toExtend<ActivityItem['activityKind']>();
  expectTypeOf<string>().toExtend<ActivityItem['activityKind']>();
});

test('paging knows what it lists', () => {
  expectTypeOf(items(api.UsersService.QueryUsers, 'users', {})).toEqualTypeOf<AsyncGenerator<User, void, undefined>>();
  expectTypeOf(items(api.ActivityService.QueryActivity, 'activityItems', { query: { incidentID: '7' } })).toEqualTypeOf<
    AsyncGenerator<ActivityItem, void, undefined>
  >();
  expectTypeOf(items(api.IncidentsService.QueryIncidentPreviews, 'incidentPreviews', { query: {} })).toEqualTypeOf<
    AsyncGenerator<IncidentPreview, void, undefined>
  >();
  expectTypeOf(pages(api.IncidentsService.QueryIncidents, { query: {} })).toExtend<
    AsyncGenerator<{ incidents: Incident[] }>
  >();
  // @ts-expect-error a member that is no list
  void (() => items(api.UsersService.QueryUsers, 'cursor', {}));
  // @ts-expect-error a method without pages
  void (() => pages(api.RolesService.GetRoles, {}));
});

test('an implementation must have every method', () => {
  type Service = Implementation<typeof IncidentsService, { now: Date }>;
  expectTypeOf<Service['GetIncident']>().parameters.toEqualTypeOf<
    [context: { now: Date }, input: { incidentID: string }]
  >();
  expectTypeOf<Omit<Service, 'GetIncident'>>().not.toExtend<Service>();
});
