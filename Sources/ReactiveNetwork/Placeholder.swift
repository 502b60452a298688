// ReactiveNetwork
