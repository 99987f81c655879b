import { type ExecutionContext, Inject, Injectable, RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/internal.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { type Access, declaredAccess } from './access.js';
import type { Model } from './fields/declared.js';
import { type BodyRules, declaredBody, declaredQuery } from './requests/read-request.js';

export interface Route {
  /** `GET` …; `ALL` for the catch-all. */
  readonly method: string;
  /** With a leading slash: `/api/v1/photos/:id`. */
  readonly path: string;
  readonly access: Access | undefined;
  /** The class of its query, and the rules of its body; undefined if it accepts none, or ignores it. */
  readonly query: Model | undefined;
  readonly body: BodyRules | undefined;
  readonly handler: ReturnType<ExecutionContext['getHandler']>;
}

/** Every route of the application, as declared by the controllers. */
@Injectable()
export class RouteTable {
  private known: readonly Route[] | undefined;

  constructor(
    @Inject(DiscoveryService) private readonly discovery: DiscoveryService,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  get routes(): readonly Route[] {
    this.known ??= this.discovery
      .getControllers()
      .flatMap(({ metatype }) => routesOf(metatype as Controller, this.reflector));
    return this.known;
  }

  /** The methods of a path, for `Allow`; none when there is no such path. */
  methodsAt(path: string): readonly string[] {
    const at = this.routes.filter((route) => route.method !== 'ALL' && pattern(route.path).test(path));
    if (at.length === 0) return [];
    const methods = new Set(at.map((route) => route.method));
    if (methods.has('GET')) methods.add('HEAD');
    return [...methods.add('OPTIONS')].sort();
  }
}

export function routesOf(controller: Controller, reflector: Reflector): Route[] {
  const prefix: string = Reflect.getMetadata(PATH_METADATA, controller);
  return new MetadataScanner().getAllMethodNames(controller.prototype).flatMap((name) => {
    const handler = controller.prototype[name];
    const paths: string | string[] | undefined = handler && Reflect.getMetadata(PATH_METADATA, handler);
    if (handler === undefined || paths === undefined) return [];
    const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler)] ?? '';
    const access = declaredAccess(reflector, handler, controller);
    const query = declaredQuery(reflector, handler);
    const body = declaredBody(reflector, handler);
    return [paths]
      .flat()
      .map((path) => `/${prefix}/${path}`.replace(/\/+/g, '/').replace(/(?<=.)\/$/, ''))
      .map((path) => ({ method, path, access, query, body, handler }));
  });
}

export interface Controller {
  new (...parts: never[]): object;
  readonly prototype: Record<string, Route['handler'] | undefined>;
}

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/:[A-Za-z]+/g, '[^/]+')}$`);
}
