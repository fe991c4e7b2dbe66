from accountant.limits.bounds import Limits as Limits
