/** The queue of changes of dashboards: they belong to no incident. */
export const dashboardLane = () => 'dashboards';
