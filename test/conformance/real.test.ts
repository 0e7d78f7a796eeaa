import { missing } from '../cluster/build.ts';
import { startCluster } from '../cluster/cluster.ts';
import { requires } from '../requires.ts';
import { podConformance } from './pods.ts';
import { storeConformance } from './suite.ts';

const needs = requires('control plane', missing());
storeConformance('a real API server', needs, startCluster);
podConformance('a real API server', needs, startCluster);
